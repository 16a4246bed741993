package dev.hapax.domain.definition;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The definition of a step: its kind, and its name, which is unique in the definition. */
public record StepDefinition(String name, Kind kind) {
  /** The longest name of a step, in characters. */
  public static final int MAX_NAME = 100;

  public StepDefinition {
    requireName(name);
  }

  /** Returns the name of a step, or throws if it breaks a limit. */
  public static String requireName(String name) {
    Text.requiredName(name);
    if (name.codePointCount(0, name.length()) > MAX_NAME) {
      throw new InvalidValueException(
          String.format(Locale.ROOT, "is longer than %d characters", MAX_NAME));
    }
    return name;
  }

  /** The part that a worker executes; empty = the step needs no worker. */
  public Optional<Work> work() {
    return switch (kind) {
      case Task(var work, _) -> Optional.of(work);
      case Code(var work, _) -> Optional.of(work);
      case Timer _, Signal _ -> Optional.empty();
    };
  }

  /** Whether a server that does not know parts could not read it. */
  public boolean needsParts() {
    return work().filter(work -> work.retry().needsParts()).isPresent()
        || isAtMostOnce()
        || (kind instanceof Code(_, var partRetry) && !partRetry.equals(RetryPolicy.OF_PARTS));
  }

  /** Whether a server that does not know times of attempts and limits could not read it. */
  public boolean needsTurns() {
    return work().flatMap(Work::attemptTimeout).isPresent() || !limits().isEmpty();
  }

  /** What limits how many runs are at this step. */
  public List<Limit> limits() {
    return work().map(Work::limits).orElse(List.of());
  }

  /** Whether no other worker gets it after its lease: its effect is then in doubt. */
  public boolean isAtMostOnce() {
    return kind instanceof Task(_, var atMostOnce) && atMostOnce;
  }

  /** The kind of a step. */
  public sealed interface Kind {}

  /**
   * A worker executes one task.
   *
   * @param atMostOnce no other worker gets it once its lease is over
   */
  public record Task(Work work, boolean atMostOnce) implements Kind {
    /** A task that another worker gets once its lease is over. */
    public Task(Work work) {
      this(work, false);
    }
  }

  /**
   * A worker executes code that records parts.
   *
   * @param partRetry the policy of parts that bring none
   */
  public record Code(Work work, RetryPolicy partRetry) implements Kind {
    /** A code step whose parts have the usual policy. */
    public Code(Work work) {
      this(work, RetryPolicy.OF_PARTS);
    }
  }

  /** The run waits for a time. */
  public record Timer(End end) implements Kind {
    /** The end of the timer. */
    public sealed interface End {}

    /** Ends this long after the step is reached. */
    public record After(Duration duration) implements End {
      public static final Duration MAX = Duration.ofDays(365);

      public After {
        requireWait(duration);
      }
    }

    /** Ends at this time. */
    public record At(Instant time) implements End {}

    /** The time at which the timer ends if the step is reached now. */
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

  /** Returns the wait, or throws if it is out of bounds. */
  public static Duration requireWait(Duration wait) {
    if (!wait.isPositive() || wait.compareTo(Timer.After.MAX) > 0) {
      throw new InvalidValueException("must be more than 0 and at most 365 days");
    }
    return wait;
  }

  /**
   * The worker's part of a step.
   *
   * @param queue from which workers poll it
   * @param lease of one attempt, without a heartbeat
   * @param attemptTimeout from a grant to its end, with any number of heartbeats; empty = none
   * @param limits each of which must have room before a run enters the queue
   */
  public record Work(
      String queue,
      Duration lease,
      RetryPolicy retry,
      Optional<Duration> attemptTimeout,
      List<Limit> limits) {
    private static final Duration MIN_ATTEMPT_TIMEOUT = Duration.ofSeconds(1);
    public static final Duration MAX_ATTEMPT_TIMEOUT = Duration.ofDays(30);

    public Work {
      Text.requiredName(queue);
      attemptTimeout.ifPresent(Work::requireAttemptTimeout);
      if (retry.giveUpAfter().isPresent()) {
        throw new InvalidValueException("has give_up_after, which is only for parts");
      }
      limits = requireLimits(limits);
    }

    /** Work at which any number of runs may be. */
    public Work(
        String queue, Duration lease, RetryPolicy retry, Optional<Duration> attemptTimeout) {
      this(queue, lease, retry, attemptTimeout, List.of());
    }

    /** Work whose attempts may take any time. */
    public Work(String queue, Duration lease, RetryPolicy retry) {
      this(queue, lease, retry, Optional.empty());
    }

    /** Returns the limits, or throws if there are too many, or two of one name. */
    public static List<Limit> requireLimits(List<Limit> limits) {
      if (limits.size() > Limit.MOST_OF_STEP) {
        throw new InvalidValueException(
            String.format(
                Locale.ROOT,
                "has %d limits; at most %d are allowed",
                limits.size(),
                Limit.MOST_OF_STEP));
      }
      var names = new HashSet<String>();
      for (var limit : limits) {
        if (!names.add(limit.name())) {
          throw new InvalidValueException("has two limits named \"%s\"".formatted(limit.name()));
        }
      }
      return List.copyOf(limits);
    }

    /** Returns the timeout, or throws if it is out of bounds. */
    public static Duration requireAttemptTimeout(Duration timeout) {
      if (timeout.compareTo(MIN_ATTEMPT_TIMEOUT) < 0
          || timeout.compareTo(MAX_ATTEMPT_TIMEOUT) > 0) {
        throw new InvalidValueException("must be between 1 s and 30 days");
      }
      return timeout;
    }
  }
}
