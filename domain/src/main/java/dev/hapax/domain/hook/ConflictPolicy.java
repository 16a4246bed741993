package dev.hapax.domain.hook;

import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.util.Optional;

/** The policy for a hook token that another run owns, of a start or of {@link CreateHook}. */
public sealed interface ConflictPolicy {
  /** Start nothing; report the owner. */
  record Reject() implements ConflictPolicy {}

  /** Return the owner, running or ended, as the run of this request. */
  record UseExisting() implements ConflictPolicy {}

  /**
   * Send the signal to the owner, and return the owner as the run of this request. An owner that
   * has ended cannot receive it, and is reported as by {@link Reject}.
   */
  record SignalExisting() implements ConflictPolicy {}

  /**
   * Cancel the owner, unless it has ended, and take the token.
   *
   * @param only the expected owner; any other one is reported as by {@link Reject}; empty = any
   */
  record Supersede(Optional<RunId> only) implements ConflictPolicy {
    boolean allows(Run owner) {
      return only.filter(run -> !run.equals(owner.id())).isEmpty();
    }
  }
}
