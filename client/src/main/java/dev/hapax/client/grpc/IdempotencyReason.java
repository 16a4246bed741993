package dev.hapax.client.grpc;

/**
 * The reason of a status that the {@link IdempotencyInterceptor} returns instead of running the
 * handler: in the {@code google.rpc.ErrorInfo} (domain {@code hapax.dev}) of the status, and in its
 * trailer {@code hapax-reason}.
 */
public enum IdempotencyReason {
  /**
   * ABORTED: another call with this key is in progress. {@code RetryInfo} and {@code
   * grpc-retry-pushback-ms} give the retry delay.
   */
  DUPLICATE_REQUEST,
  /** FAILED_PRECONDITION: the key was used with another request. */
  IDEMPOTENCY_KEY_REUSED,
  /** FAILED_PRECONDITION: an earlier attempt may have taken effect; an operator must resolve it. */
  PREVIOUS_ATTEMPT_INDETERMINATE,
  /** INVALID_ARGUMENT: the method requires a key. */
  IDEMPOTENCY_KEY_REQUIRED,
  /**
   * INVALID_ARGUMENT: the key is too long (255 characters), or there is more than one, or Hapax
   * refused the key, the method or the account.
   */
  IDEMPOTENCY_KEY_INVALID,
  /**
   * UNAVAILABLE: Hapax is unreachable. With the metadata {@code executed = true} the handler has
   * run, and its response may be recorded or not; otherwise it has not run.
   */
  IDEMPOTENCY_UNAVAILABLE,
  /** ABORTED: the handler ran, but another attempt took over. Retry to get its response. */
  CLAIM_LOST,
  /** FAILED_PRECONDITION: the work is done, but its response was too large (256 KiB) to be kept. */
  RESPONSE_NOT_RETAINED,
  /** INTERNAL: the work is done, but the recorded response does not fit the method. */
  RESPONSE_UNREADABLE,
  /** FAILED_PRECONDITION: the account-changing operation belongs to another account. */
  ACCOUNT_MISMATCH,
  /** FAILED_PRECONDITION: the work failed for good, with a code that is no gRPC status. */
  OPERATION_REJECTED,
  /** INTERNAL: the service is misconfigured; see its log. */
  IDEMPOTENCY_MISCONFIGURED
}
