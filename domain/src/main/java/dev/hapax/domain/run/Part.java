package dev.hapax.domain.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import java.time.Instant;
import java.util.Optional;

/** A part: a named piece of a step, which the worker's code records. */
public sealed interface Part {
  /** The version of the run's event that last changed it. */
  long version();

  /** The nonce of the grant that last changed it; 0 = an operator settled it. */
  long nonce();

  /** Its output is recorded. */
  record Completed(long version, long nonce, Payload output, PartTraits traits) implements Part {}

  /** A part without an output. */
  sealed interface Open extends Part {
    /** The number of its last attempt; 0 = none, or an operator repeats it. */
    int attempts();

    /** The time of its first failure. */
    Optional<Instant> since();

    /** Its last failure, as far as it is known. */
    default Failure failure() {
      return NONE;
    }

    /** The same part with a new budget, due at once, after an operator decided so. */
    default Retrying repeatedBy(RunEvent event) {
      return new Retrying(event.version(), 0, 0, Optional.empty(), event.at(), NONE);
    }
  }

  /** The failure of a part that has not failed. */
  Failure NONE = new Failure("", "", Optional.empty());

  /** Its body may be running. Its effect is in doubt if another grant began it. */
  record Begun(long version, long nonce, int attempts, Optional<Instant> since) implements Open {
    boolean isInDoubt(TaskClaim claim) {
      return nonce != claim.nonce();
    }
  }

  /**
   * Its last attempt failed, and another one follows.
   *
   * @param due when the next attempt is due
   */
  record Retrying(
      long version, long nonce, int attempts, Optional<Instant> since, Instant due, Failure failure)
      implements Open {}

  /** It failed for good: each later execution gets this failure. */
  record Failed(long version, long nonce, int attempts, Optional<Instant> since, Failure failure)
      implements Open {}
}
