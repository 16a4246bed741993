package dev.hapax.client.worker;

import dev.hapax.client.HapaxException;
import dev.hapax.v1.ClaimLostReason;
import org.jspecify.annotations.Nullable;

/**
 * The worker no longer holds the task: the result of the handler is not recorded, and another
 * worker may do the work too. Do not catch it.
 */
public final class TaskLostException extends HapaxException {

  private final ClaimLostReason reason;

  TaskLostException(ClaimLostReason reason) {
    this(reason, null);
  }

  TaskLostException(ClaimLostReason reason, @Nullable Throwable cause) {
    super("the task is lost: " + reason, cause);
    this.reason = reason;
  }

  /** Why, such as CLAIM_LOST_REASON_RUN_CANCELLED. */
  public ClaimLostReason reason() {
    return reason;
  }
}
