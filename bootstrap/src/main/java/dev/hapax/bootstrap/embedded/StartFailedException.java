package dev.hapax.bootstrap.embedded;

import java.io.IOException;

/** PostgreSQL did not start; its own words tell why, and whether another try can help. */
final class StartFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  /** What to do about it. */
  enum Remedy {
    OTHER_PORT,
    /** Processes of a killed server are still on their way out. */
    WAIT,
    NONE
  }

  private final Remedy remedy;

  StartFailedException(String output, String log) {
    super("PostgreSQL does not start:\n" + (log.isEmpty() ? output : log));
    this.remedy = remedyFor(log);
  }

  /** The line that says why, without the time and process in front of it. */
  String reason() {
    return String.valueOf(getMessage())
        .lines()
        .filter(line -> line.contains("FATAL:") || line.contains("PANIC:"))
        .map(line -> line.replaceFirst("^.*(FATAL|PANIC): *", ""))
        .findFirst()
        .orElse("PostgreSQL does not start");
  }

  Remedy remedy() {
    return remedy;
  }

  private static Remedy remedyFor(String log) {
    if (log.contains("Address already in use")) {
      return Remedy.OTHER_PORT;
    }
    boolean othersAlive =
        log.contains("pre-existing shared memory block") || log.contains("lock file");
    return othersAlive ? Remedy.WAIT : Remedy.NONE;
  }
}
