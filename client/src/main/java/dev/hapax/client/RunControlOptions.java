package dev.hapax.client;

import dev.hapax.client.claim.Entities;
import dev.hapax.client.run.Runs;
import dev.hapax.client.internal.KeyText;

/**
 * Why an operator moves a run, releases or deletes an entity, and under which condition. Immutable:
 * every {@code with…} is a copy.
 *
 * @param reason for the history, at most 255 characters
 * @param expectedVersion only if the run or entity has this version, else it is refused with
 *     CONCURRENCY_ERROR; 0 = whichever it has
 * @param requestId of {@link Runs#retry}, {@link Entities#release} and {@link Entities#delete}
 *     alone: the same again does it once; empty = drawn for each call
 */
public record RunControlOptions(String reason, long expectedVersion, String requestId) {

  /** Checks the limits. */
  public RunControlOptions {
    KeyText.check("reason", reason);
    KeyText.check("requestId", requestId);
    if (expectedVersion < 0) {
      throw new IllegalArgumentException("expectedVersion is negative");
    }
  }

  /** Whichever version the run has. */
  public static RunControlOptions because(String reason) {
    return new RunControlOptions(reason, 0, "");
  }

  /** With another {@link #expectedVersion}. */
  public RunControlOptions withExpectedVersion(long expectedVersion) {
    return new RunControlOptions(reason, expectedVersion, requestId);
  }

  /** With another {@link #requestId}. */
  public RunControlOptions withRequestId(String requestId) {
    return new RunControlOptions(reason, expectedVersion, requestId);
  }
}
