package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import java.util.UUID;

/**
 * The reason and the condition of an operator's change to a run or an entity. Immutable: each
 * method returns a copy.
 */
public final class Control {

  private final String reason;
  private final long expectedVersion;
  private final String requestId;

  private Control(String reason, long expectedVersion, String requestId) {
    this.reason = KeyText.check("reason", reason);
    this.expectedVersion = expectedVersion;
    this.requestId = KeyText.check("requestId", requestId);
    if (expectedVersion < 0) {
      throw new IllegalArgumentException(
          "expectedVersion must not be negative (was " + expectedVersion + ")");
    }
  }

  /** A change with a reason for the history, at most 255 characters. */
  public static Control because(String reason) {
    return new Control(reason, 0, "");
  }

  /**
   * Changes the run or entity only if it has this version; otherwise the call is refused with
   * CONCURRENCY_ERROR. Default 0: any version.
   */
  public Control expectedVersion(long expectedVersion) {
    return new Control(reason, expectedVersion, requestId);
  }

  /**
   * Calls with the same id take effect once: for the retry of a run, and the release and deletion
   * of an entity. Default: a random id for each call.
   */
  public Control requestId(String requestId) {
    return new Control(reason, expectedVersion, requestId);
  }

  String reason() {
    return reason;
  }

  long expectedVersion() {
    return expectedVersion;
  }

  String requestId() {
    return requestId.isEmpty() ? UUID.randomUUID().toString() : requestId;
  }
}
