package dev.hapax.domain.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.definition.SignalFilter;
import java.time.Instant;
import java.util.Optional;

/** What happens to a run now. */
public sealed interface Phase {

  /** It goes on, or would if it were not paused. */
  sealed interface Open extends Phase {}

  /**
   * The current step can begin, or be tried again.
   *
   * @param due not before this
   * @param attempt the one that would begin
   */
  record Ready(Instant due, int attempt) implements Open {}

  /**
   * A worker has the current step.
   *
   * @param deliveries how many calls were answered with the grant and have not given it back. A
   *     worker that lost an answer asks again, so the call that failed must not free the step
   */
  record Held(TaskGrant grant, Instant leaseUntil, int deliveries) implements Open {
    public Held {
      if (deliveries < 1) {
        throw new IllegalArgumentException("held without a delivery");
      }
    }

    /** Delivered to one call. */
    public Held(TaskGrant grant, Instant leaseUntil) {
      this(grant, leaseUntil, 1);
    }

    Held renewedUntil(Instant until) {
      return until.isAfter(leaseUntil) ? new Held(grant, until, deliveries) : this;
    }

    /** The same grant for another call, with its lease renewed. */
    Held deliveredAgain(Instant until) {
      return new Held(grant, until.isAfter(leaseUntil) ? until : leaseUntil, deliveries + 1);
    }

    /** What is left when one of its deliveries is given back; empty = that was the last one. */
    Optional<Held> withoutDelivery() {
      return deliveries == 1
          ? Optional.empty()
          : Optional.of(new Held(grant, leaseUntil, deliveries - 1));
    }
  }

  /**
   * The current step waits; for whichever comes first.
   *
   * @param until a time
   * @param signal one that this lets pass
   * @param unsifted whether the inbox may hold such a signal already; then it is looked for first
   */
  record Waiting(Optional<Instant> until, Optional<SignalFilter> signal, boolean unsifted)
      implements Open {
    boolean isFor(String type, Optional<SourceHook> hook) {
      return signal.filter(awaited -> awaited.matches(type, hook)).isPresent();
    }

    boolean isOver(Instant now) {
      return !unsifted && until.filter(end -> !now.isBefore(end)).isPresent();
    }

    Waiting sifted() {
      return new Waiting(until, signal, false);
    }
  }

  /** All is done, or nothing more can be; the run only has to end. */
  record Settled(Optional<Failure> failure) implements Open {}

  /** A person holds it back. */
  record Paused(Open behind) implements Phase {}

  /** It is over. */
  sealed interface Ended extends Phase {
    Instant at();
  }

  record Completed(Instant at) implements Ended {}

  /** Until somebody retries it. */
  record Failed(Instant at, Failure failure) implements Ended {}

  record Cancelled(Instant at, String reason) implements Ended {}
}
