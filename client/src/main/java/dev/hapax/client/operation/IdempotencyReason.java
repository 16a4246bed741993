package dev.hapax.client.operation;

/**
 * Why a call is answered by the {@link IdempotencyInterceptor} and not by its handler: the reason
 * of the {@code google.rpc.ErrorInfo} (domain {@code hapax.dev}) that the status carries, and its
 * trailer {@code hapax-reason}.
 */
public enum IdempotencyReason {
  /**
   * ABORTED: another call with this key is in progress. {@code RetryInfo} and {@code
   * grpc-retry-pushback-ms} say when to try again.
   */
  DUPLICATE_REQUEST,
  /** FAILED_PRECONDITION: the key was used with another request. */
  IDEMPOTENCY_KEY_REUSED,
  /**
   * FAILED_PRECONDITION: a former attempt may or may not have taken effect; it has to be resolved.
   */
  PREVIOUS_ATTEMPT_INDETERMINATE,
  /** INVALID_ARGUMENT: the method needs a key. */
  IDEMPOTENCY_KEY_REQUIRED,
  /** INVALID_ARGUMENT: the key is too long (255 characters), or there is more than one. */
  IDEMPOTENCY_KEY_INVALID,
  /**
   * UNAVAILABLE: Hapax cannot be reached. With the metadata {@code executed = true} the handler has
   * run, and nobody knows whether its answer is kept; otherwise it has not.
   */
  IDEMPOTENCY_UNAVAILABLE,
  /**
   * ABORTED: the handler ran, but another attempt took over: ask again for what that one answers.
   */
  CLAIM_LOST,
  /** FAILED_PRECONDITION: it was done, but the answer was too large (256 KiB) to be kept. */
  RESPONSE_NOT_RETAINED,
  /** INTERNAL: it was done, but the kept answer is not one of this method. */
  RESPONSE_UNREADABLE,
  /** FAILED_PRECONDITION: the account-changing operation belongs to another account. */
  ACCOUNT_MISMATCH,
  /** FAILED_PRECONDITION: it was rejected for good, under a code that is no gRPC status. */
  OPERATION_REJECTED,
  /** INTERNAL: the service is set up wrongly; its log says how. */
  IDEMPOTENCY_MISCONFIGURED
}
