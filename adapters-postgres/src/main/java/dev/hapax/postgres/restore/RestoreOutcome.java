package dev.hapax.postgres.restore;

import java.time.Duration;

/** Whether servers may use the database. */
public sealed interface RestoreOutcome {

  /** An epoch began; {@code state} is the previous one. */
  record Begun(int epoch, RestoredState state) implements RestoreOutcome {}

  /** The database is the original one at another place, so no epoch began. */
  record Adopted() implements RestoreOutcome {}

  /** A server uses the database, so nothing was changed. */
  record ServerRuns(String id, String version) implements RestoreOutcome {}

  /** New fences would be lower than those of the restored state, so nothing was changed. */
  record ClockBehind(Duration behind) implements RestoreOutcome {}
}
