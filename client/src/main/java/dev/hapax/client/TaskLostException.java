package dev.hapax.client;

import dev.hapax.v1.ClaimLostReason;

/**
 * The worker no longer holds the task: what the handler does from here on is not recorded, and may
 * be done by another worker as well. Let it pass.
 */
public final class TaskLostException extends RuntimeException {

  private final ClaimLostReason reason;

  TaskLostException(ClaimLostReason reason) {
    super("the task is lost: " + reason);
    this.reason = reason;
  }

  /** Why, such as CLAIM_LOST_REASON_RUN_CANCELLED. */
  public ClaimLostReason reason() {
    return reason;
  }
}
