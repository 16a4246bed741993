package dev.hapax.domain.hook;

import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.util.Optional;

/** What a start does when the token it wants has an owner. */
public sealed interface ConflictPolicy {
  /** Nothing, but name the owner. */
  record Reject() implements ConflictPolicy {}

  /** Let the owner stand for the request, running or ended. */
  record UseExisting() implements ConflictPolicy {}

  /** Send it the signal, and let it stand for the request. */
  record SignalExisting() implements ConflictPolicy {}

  /**
   * End it, and take the token.
   *
   * @param only if it is this run; empty = whichever it is
   */
  record Supersede(Optional<RunId> only) implements ConflictPolicy {
    boolean isFor(Run owner) {
      return only.filter(run -> !run.equals(owner.id())).isEmpty();
    }
  }
}
