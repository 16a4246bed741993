/** JanitorService. */
@NullMarked
package dev.hapax.grpc.janitor;

import org.jspecify.annotations.NullMarked;
