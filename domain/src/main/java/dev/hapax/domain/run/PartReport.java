package dev.hapax.domain.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Text;
import dev.hapax.domain.definition.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a worker reports about a part.
 *
 * @param elapsed how long the body ran, by the worker's clock
 */
public record PartReport(
    String name, Result result, Optional<Duration> elapsed, PartTraits traits) {
  /** The most reports of a call. */
  public static final int MAX_PER_CALL = 100;

  public static final Duration MAX_ELAPSED = Duration.ofHours(24);

  public PartReport {
    Text.requiredName(name);
    elapsed.ifPresent(PartReport::requireElapsed);
  }

  /** A report of an output alone. */
  public PartReport(String name, Payload output, List<String> consumed) {
    this(name, new Output(output, consumed), Optional.empty(), PartTraits.NONE);
  }

  /** Returns the time, or throws if it is out of bounds. */
  public static Duration requireElapsed(Duration time) {
    if (time.isNegative() || time.compareTo(MAX_ELAPSED) > 0) {
      throw new InvalidValueException("must be between 0 and 24 h");
    }
    return time;
  }

  /** What happened to the part. */
  public sealed interface Result {}

  /**
   * Its body, or a check of its effect, had this output.
   *
   * @param consumed ids of the signals that it used up
   */
  public record Output(Payload output, List<String> consumed) implements Result {
    public Output {
      consumed = consumed.stream().distinct().toList();
    }
  }

  /**
   * Its body failed.
   *
   * @param attempt number of the attempt, from 1
   * @param isFinal no attempt follows
   * @param retry its policy; empty = that of the step
   * @param retryAfter the pause that the worker requests; empty = that of the policy
   */
  public record Failing(
      int attempt,
      Failure failure,
      boolean isFinal,
      Optional<RetryPolicy> retry,
      Optional<Duration> retryAfter)
      implements Result {
    public Failing {
      if (attempt < 1) {
        throw new InvalidValueException("must be at least 1");
      }
      retryAfter.ifPresent(FailTask::requireRetryAfter);
    }
  }

  /** Its body is about to run, at most once. */
  public record Beginning() implements Result {}

  /** The approximate memory in bytes. */
  int size() {
    return switch (result) {
      case Output(var output, _) -> output.size();
      case Failing failing -> failing.failure().size();
      case Beginning _ -> 0;
    };
  }
}
