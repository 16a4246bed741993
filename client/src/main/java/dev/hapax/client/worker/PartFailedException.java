package dev.hapax.client.worker;

import dev.hapax.client.FailureKind;
import dev.hapax.client.WorkFailure;
import dev.hapax.v1.Failure;
import org.jspecify.annotations.Nullable;

/**
 * A part failed for good: its failure was final, or its attempts are used up. It is recorded, so
 * each later execution gets it at the same place. The code may catch it; if it leaves the workflow,
 * the run is FAILED with its code, and {@link dev.hapax.client.run.Runs#retry} attempts exactly
 * this part again.
 */
public final class PartFailedException extends WorkFailure {

  private final transient Failure failure;
  private final String part;
  private final int attempts;

  PartFailedException(String part, Failure failure, int attempts, @Nullable Throwable cause) {
    super(FailureKind.FINAL, failure.getCode(), failure.getMessage(), cause);
    this.part = part;
    this.failure = failure;
    this.attempts = attempts;
  }

  /** The full name of the part, such as {@code item/4711/price} in a branch. */
  public String part() {
    return part;
  }

  /** The number of attempts that failed. */
  public int attempts() {
    return attempts;
  }

  /** The failure of the last attempt, as Hapax stored it. */
  public Failure failure() {
    return failure;
  }
}
