package dev.hapax.domain.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.definition.SignalFilter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;

/** The current phase of a run, with what it needs to advance. */
public sealed interface Phase {
  /** When it is due: for workers if the run is in a queue, for the server otherwise. */
  default Optional<Instant> dueAt() {
    return switch (this) {
      case Ready(var due, _) -> Optional.of(due);
      case Held held -> Optional.of(held.leaseUntil());
      case Waiting waiting when waiting.inboxUnchecked() -> Optional.of(Instant.EPOCH);
      case Waiting(var until, _, _) -> until;
      case Finishing _ -> Optional.of(Instant.EPOCH);
      case Paused(Held held) -> Optional.of(held.leaseUntil());
      case Blocked _, InDoubt _, Paused _, Ended _ -> Optional.empty();
    };
  }

  /** A phase of a run that has not ended and is not paused. */
  sealed interface Open extends Phase {
    /** The last grant of the step, also if its lease is over and its effect is in doubt. */
    default Optional<Held> lastHeld() {
      return switch (this) {
        case Held held -> Optional.of(held);
        case InDoubt(var lost) -> Optional.of(lost);
        case Ready _, Blocked _, Waiting _, Finishing _ -> Optional.empty();
      };
    }
  }

  /**
   * The current step is ready to begin or to be retried.
   *
   * @param due the earliest time to begin
   * @param attempt the number of the next attempt
   */
  record Ready(Instant due, int attempt) implements Open {}

  /**
   * The run waits for its turn in the lines of the tokens that it {@linkplain HookTokens#awaited
   * awaits}, or in those of {@linkplain Run#stepTurn the limits of its step}.
   *
   * @param turn its number in all of these lines, the microsecond at which it began to wait, or one
   *     shortly after. No other run gets it, and the run gets another one if it waits again
   * @param notBefore the earliest time to begin
   * @param attempt the number of the next attempt
   */
  record Blocked(long turn, Instant notBefore, int attempt) implements Open {
    public Instant since() {
      return Instant.EPOCH.plus(turn, ChronoUnit.MICROS);
    }
  }

  /**
   * A worker holds the current step.
   *
   * @param leaseUntil at most {@code attemptUntil}
   * @param attemptUntil the end of the attempt, beyond which no lease is renewed; empty = none
   * @param deliveries how many responses carried the grant and were not returned as undelivered. A
   *     worker that lost a response polls again, so one failed delivery must not free the step
   */
  record Held(TaskGrant grant, Instant leaseUntil, Optional<Instant> attemptUntil, int deliveries)
      implements Open {
    public Held {
      leaseUntil = first(leaseUntil, attemptUntil);
      if (deliveries < 1) {
        throw new IllegalArgumentException(
            String.format(Locale.ROOT, "deliveries must be at least 1 (was %d)", deliveries));
      }
    }

    /** A grant with one delivery, for an attempt of any length. */
    public Held(TaskGrant grant, Instant leaseUntil) {
      this(grant, leaseUntil, Optional.empty(), 1);
    }

    private static Instant first(Instant lease, Optional<Instant> attempt) {
      return attempt.filter(lease::isAfter).orElse(lease);
    }

    /** Whether the lease ends with the attempt. */
    boolean isCut() {
      return attemptUntil.filter(leaseUntil::equals).isPresent();
    }

    /** Whether the time of the attempt is over. */
    boolean isTimedOut(Instant now) {
      return attemptUntil.filter(end -> !now.isBefore(end)).isPresent();
    }

    Held renewedUntil(Instant until) {
      return until.isAfter(leaseUntil) ? new Held(grant, until, attemptUntil, deliveries) : this;
    }

    /** The same grant, delivered once more and with its lease renewed. */
    Held deliveredAgain(Instant until) {
      var renewed = renewedUntil(until);
      return new Held(grant, renewed.leaseUntil, attemptUntil, deliveries + 1);
    }

    /** The grant with one delivery less; empty = that was the last one. */
    Optional<Held> withoutDelivery() {
      return deliveries == 1
          ? Optional.empty()
          : Optional.of(new Held(grant, leaseUntil, attemptUntil, deliveries - 1));
    }
  }

  /**
   * The lease of a step that runs at most once is over, so it is unknown whether it took effect. No
   * other worker gets the step: its last holder may renew or end it, and an operator may settle it.
   */
  record InDoubt(Held lost) implements Open {}

  /**
   * The current step waits for a time or a signal, whichever comes first.
   *
   * @param until when the wait times out; empty = never
   * @param signal selects the signals that end the wait
   * @param inboxUnchecked whether the inbox may already hold a matching signal; it is searched
   *     before anything else
   */
  record Waiting(Optional<Instant> until, Optional<SignalFilter> signal, boolean inboxUnchecked)
      implements Open {
    boolean awaits(String type, Optional<SourceHook> hook) {
      return signal.filter(awaited -> awaited.matches(type, hook)).isPresent();
    }

    boolean isOver(Instant now) {
      return !inboxUnchecked && until.filter(end -> !now.isBefore(end)).isPresent();
    }

    Waiting inboxChecked() {
      return new Waiting(until, signal, false);
    }
  }

  /** All steps are done, or one has failed for good; only the end of the run is left to record. */
  record Finishing(Optional<Failure> failure) implements Open {}

  /** An operator paused the run. */
  record Paused(Open behind) implements Phase {}

  /** The run has ended. */
  sealed interface Ended extends Phase {
    Instant at();
  }

  record Completed(Instant at) implements Ended {}

  /** The run failed; an operator may retry it. */
  record Failed(Instant at, Failure failure) implements Ended {
    /** Whether it is unknown if its step or part had its effect: an operator settles that. */
    public boolean isInDoubt() {
      return failure.code().equals(FailTask.UNKNOWN_EFFECT);
    }
  }

  record Cancelled(Instant at, String reason) implements Ended {}
}
