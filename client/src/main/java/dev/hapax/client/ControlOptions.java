package dev.hapax.client;

import dev.hapax.client.claim.Entities;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.run.Runs;

/**
 * The reason and the condition of an operator's change to a run or an entity. Immutable: every
 * {@code with…} is a copy.
 *
 * @param reason for the history, at most 255 characters
 * @param expectedVersion the change is rejected with CONCURRENCY_ERROR unless the run or entity has
 *     this version; 0 = any version
 * @param requestId for {@link Runs#retry}, {@link Entities#release} and {@link Entities#delete}
 *     only: calls with the same id take effect once; empty = a random id per call
 */
public record ControlOptions(String reason, long expectedVersion, String requestId) {

  /** Checks the limits. */
  public ControlOptions {
    KeyText.check("reason", reason);
    KeyText.check("requestId", requestId);
    if (expectedVersion < 0) {
      throw new IllegalArgumentException(
          "expectedVersion must not be negative (was " + expectedVersion + ")");
    }
  }

  /** A reason without a condition. */
  public static ControlOptions because(String reason) {
    return new ControlOptions(reason, 0, "");
  }

  /** Returns a copy with another {@link #expectedVersion}. */
  public ControlOptions withExpectedVersion(long expectedVersion) {
    return new ControlOptions(reason, expectedVersion, requestId);
  }

  /** Returns a copy with another {@link #requestId}. */
  public ControlOptions withRequestId(String requestId) {
    return new ControlOptions(reason, expectedVersion, requestId);
  }
}
