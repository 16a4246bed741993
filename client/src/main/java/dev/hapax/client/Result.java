package dev.hapax.client;

import dev.hapax.client.internal.Ranges;
import dev.hapax.v1.Payload;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a {@link Handler} returns instead of an output. Immutable. */
public final class Result {

  private final @Nullable Value output;
  private final boolean isSkipped;
  private final @Nullable ExecutionEnd end;
  private final @Nullable Payload statePatch;

  private Result(
      @Nullable Value output,
      boolean isSkipped,
      @Nullable ExecutionEnd end,
      @Nullable Payload statePatch) {
    this.output = output;
    this.isSkipped = isSkipped;
    this.end = end;
    this.statePatch = statePatch;
  }

  /** There was nothing to do: the step is SKIPPED, and the run keeps its previous output. */
  public static Result skipped() {
    return new Result(null, true, null, null);
  }

  /**
   * Gives the step back, at no cost of an attempt. After the delay any worker may get it.
   *
   * @param delay 0 to 1 h
   */
  public static Result release(Duration delay) {
    Ranges.within("delay", delay, Duration.ZERO, Duration.ofHours(1));
    return of(new ExecutionEnd.Released(delay, null));
  }

  static Result of(@Nullable Value output) {
    return new Result(output, false, null, null);
  }

  static Result of(ExecutionEnd end) {
    return new Result(null, false, end, null);
  }

  /** The same result with a change of the run's state. */
  Result statePatch(@Nullable Payload patch) {
    return new Result(output, isSkipped, end, patch);
  }

  @Nullable Value output() {
    return output;
  }

  boolean isSkipped() {
    return isSkipped;
  }

  /** How an execution ended that did not complete the step; null = it did. */
  @Nullable ExecutionEnd end() {
    return end;
  }

  @Nullable Payload statePatch() {
    return statePatch;
  }
}
