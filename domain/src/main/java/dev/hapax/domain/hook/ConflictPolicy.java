package dev.hapax.domain.hook;

import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.util.Optional;

/** The policy of a start whose hook token has an owner. */
public sealed interface ConflictPolicy {
  /** Start nothing; report the owner. */
  record Reject() implements ConflictPolicy {}

  /** Return the owner, running or ended, as the run of this request. */
  record UseExisting() implements ConflictPolicy {}

  /** Send the signal to the owner, and return the owner as the run of this request. */
  record SignalExisting() implements ConflictPolicy {}

  /**
   * Cancel the owner and take the token.
   *
   * @param only only if the owner is this run; empty = any owner
   */
  record Supersede(Optional<RunId> only) implements ConflictPolicy {
    boolean allows(Run owner) {
      return only.filter(run -> !run.equals(owner.id())).isEmpty();
    }
  }
}
