package dev.hapax.domain.definition;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** One step: its name, unique in its definition, and what happens in it. */
public record StepDefinition(String name, Kind kind) {
  /** The longest name of a step, in characters. */
  public static final int MAX_NAME = 100;

  public StepDefinition {
    requireName(name);
  }

  /** The name of a step, also of one that code names by itself; or a violation. */
  public static String requireName(String name) {
    Text.requiredName(name);
    if (name.codePointCount(0, name.length()) > MAX_NAME) {
      throw new InvalidValueException("is longer than %d characters".formatted(MAX_NAME));
    }
    return name;
  }

  /** What a worker does in this step, if one is needed. */
  public Optional<Work> work() {
    return switch (kind) {
      case Task(var work) -> Optional.of(work);
      case Code(var work) -> Optional.of(work);
      case Timer _, Signal _ -> Optional.empty();
    };
  }

  /** What happens in a step. */
  public sealed interface Kind {}

  /** A worker does one thing. */
  public record Task(Work work) implements Kind {}

  /** A worker runs code that names its own steps. */
  public record Code(Work work) implements Kind {}

  /** The run waits for a time. */
  public record Timer(End end) implements Kind {
    /** When it is over. */
    public sealed interface End {}

    /** So long after the step was reached. */
    public record After(Duration duration) implements End {
      public static final Duration MAX = Duration.ofDays(365);

      public After {
        requireWait(duration);
      }
    }

    /** At this time. */
    public record At(Instant time) implements End {}

    /** When it ends if it is reached now. */
    public Instant end(Instant now) {
      return switch (end) {
        case After(var duration) -> now.plus(duration);
        case At(var time) -> time;
      };
    }
  }

  /**
   * The run waits for a signal.
   *
   * @param timeout after which the step fails; empty = never
   */
  public record Signal(SignalFilter.OfDefinition filter, Optional<Duration> timeout)
      implements Kind {
    public Signal {
      timeout.ifPresent(StepDefinition::requireWait);
    }
  }

  /** How long a run may be told to wait, or a violation. */
  public static Duration requireWait(Duration wait) {
    if (!wait.isPositive() || wait.compareTo(Timer.After.MAX) > 0) {
      throw new InvalidValueException("must be more than 0 and at most 365 days");
    }
    return wait;
  }

  /**
   * What a worker has to know.
   *
   * @param queue where workers look for it
   * @param lease how long one attempt is held without a heartbeat
   */
  public record Work(String queue, Duration lease, RetryPolicy retry) {
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

    public Work {
      Text.requiredName(queue);
    }
  }
}
