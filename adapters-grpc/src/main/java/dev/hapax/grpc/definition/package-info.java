/** DefinitionService. */
@NullMarked
package dev.hapax.grpc.definition;

import org.jspecify.annotations.NullMarked;
