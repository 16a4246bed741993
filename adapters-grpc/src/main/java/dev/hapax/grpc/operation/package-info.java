/** OperationService. */
@NullMarked
package dev.hapax.grpc.operation;

import org.jspecify.annotations.NullMarked;
