/** EntityService. */
@NullMarked
package dev.hapax.grpc.entity;

import org.jspecify.annotations.NullMarked;
