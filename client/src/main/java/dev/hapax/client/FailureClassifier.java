package dev.hapax.client;

import dev.hapax.client.operation.RunningOperation;
import io.grpc.Status;

/**
 * Classifies a failure of the work. Failures that carry their kind, by {@link WorkFailure} or
 * {@link RunningOperation#failAs}, are not classified.
 */
@FunctionalInterface
public interface FailureClassifier {

  /**
   * Returns the kind of the failure.
   *
   * @param failure the exception of the work; from a gRPC handler a {@link
   *     io.grpc.StatusRuntimeException} with the status of its response
   */
  FailureKind classify(Throwable failure);

  /** Classifies every failure as retryable: the default. */
  static FailureClassifier retryable() {
    return failure -> FailureKind.RETRYABLE;
  }

  /**
   * Classifies by the gRPC status of the failure or of its causes; without one it is {@code
   * UNKNOWN}.
   *
   * <ul>
   *   <li>final: INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION, OUT_OF_RANGE,
   *       PERMISSION_DENIED, UNIMPLEMENTED
   *   <li>retryable: UNAVAILABLE, RESOURCE_EXHAUSTED, ABORTED, UNAUTHENTICATED
   *   <li>unknown effect: CANCELLED, DEADLINE_EXCEEDED, UNKNOWN, INTERNAL, DATA_LOSS
   * </ul>
   */
  static FailureClassifier byStatus() {
    return failure ->
        switch (Status.fromThrowable(failure).getCode()) {
          case INVALID_ARGUMENT,
              NOT_FOUND,
              ALREADY_EXISTS,
              FAILED_PRECONDITION,
              OUT_OF_RANGE,
              PERMISSION_DENIED,
              UNIMPLEMENTED ->
              FailureKind.FINAL;
          case UNAVAILABLE, RESOURCE_EXHAUSTED, ABORTED, UNAUTHENTICATED -> FailureKind.RETRYABLE;
          case OK, CANCELLED, DEADLINE_EXCEEDED, UNKNOWN, INTERNAL, DATA_LOSS ->
              FailureKind.UNKNOWN_EFFECT;
        };
  }
}
