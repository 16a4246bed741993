package dev.hapax.domain.intent;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The record of an intent. */
public sealed interface Intent {
  /** The most intents that wait for a server. The SQL function {@code next_intent} checks it. */
  int MAX_POSTED = 1_000_000;

  /** The most of them in one workspace. The SQL function checks it, too. */
  int MAX_POSTED_PER_WORKSPACE = MAX_POSTED / 2;

  IntentOrigin origin();

  /** How often a full inbox of its run put the intent off. */
  int tries();

  /**
   * Its transaction was committed, and no server has taken it.
   *
   * @param notBefore the end of the pause after a full inbox; empty = no pause
   */
  record Posted(IntentOrigin origin, int tries, Optional<Instant> notBefore) implements Intent {
    /** For how long after its posting an intent is deferred. */
    public static final Duration RETRY_TIME = Duration.ofHours(24);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    private static final int DOUBLINGS = 9;

    /** Whether it waits for the end of a pause. */
    public boolean isPaused(Instant now) {
      return notBefore.filter(now::isBefore).isPresent();
    }

    /** Whether it may be deferred once more. */
    boolean mayWait(Instant now) {
      return now.isBefore(origin.postedAt().plus(RETRY_TIME));
    }

    /** Puts it off: each time for twice as long, up to a limit. */
    Posted defer(Instant now) {
      var pause = FIRST_PAUSE.multipliedBy(1L << Math.min(tries, DOUBLINGS));
      var until = now.plus(pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE);
      return new Posted(origin, Math.min(tries + 1, Short.MAX_VALUE), Optional.of(until));
    }
  }

  /** A server has taken it: what it asked for was decided, in the same commit. */
  record Taken(IntentOrigin origin, int tries, IntentOutcome outcome, Instant at)
      implements Intent {}
}
