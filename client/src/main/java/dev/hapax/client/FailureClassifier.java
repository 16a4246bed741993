package dev.hapax.client;

import dev.hapax.client.operation.RunningOperation;
import io.grpc.Status;

/**
 * Decides what a failure of the work means for its key. Not asked when the work said so itself,
 * with {@link WorkFailure} or {@link RunningOperation#failAs}.
 */
@FunctionalInterface
public interface FailureClassifier {

  /**
   * What the failure means.
   *
   * @param failure what the work threw; from a gRPC handler a {@link
   *     io.grpc.StatusRuntimeException} with the status it answered
   */
  FailureKind classify(Throwable failure);

  /** Every failure frees the key: the default. */
  static FailureClassifier retryable() {
    return failure -> FailureKind.RETRYABLE;
  }

  /**
   * By the gRPC status of the failure or of its causes; without one it is {@code UNKNOWN}.
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
