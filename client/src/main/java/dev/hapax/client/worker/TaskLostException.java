package dev.hapax.client.worker;

import dev.hapax.client.HapaxException;
import dev.hapax.v1.ClaimLostReason;

/**
 * The worker no longer holds the task: what the handler does from here on is not recorded, and may
 * be done by another worker as well. Let it pass.
 */
public final class TaskLostException extends HapaxException {

  private final ClaimLostReason reason;

  TaskLostException(ClaimLostReason reason) {
    super("the task is lost: " + reason, null);
    this.reason = reason;
  }

  /** Why, such as CLAIM_LOST_REASON_RUN_CANCELLED. */
  public ClaimLostReason reason() {
    return reason;
  }
}
