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

  /**
   * Create the run, and let it wait for its turn. All tokens of a start have this policy, or none.
   *
   * @param limit how many runs wait for the token at most
   * @param supersedesWaiting whether the run replaces those that wait in a full line; otherwise
   *     nothing is started. Only with a limit of 1
   */
  record Queue(int limit, boolean supersedesWaiting) implements ConflictPolicy {
    public static final int DEFAULT_LIMIT = 1_000;
    public static final int MAX_LIMIT = 10_000;

    public Queue {
      if (limit < 1 || limit > MAX_LIMIT || (supersedesWaiting && limit != 1)) {
        throw new IllegalArgumentException("no such limit: " + limit);
      }
    }
  }
}
