package dev.hapax.bootstrap.embedded;

import java.io.IOException;

/** PostgreSQL did not start; its log tells why and whether a retry can help. */
final class StartFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The action that can make the next start succeed. */
  enum Remedy {
    OTHER_PORT,
    /** Processes of a killed server have not exited yet. */
    WAIT,
    NONE
  }

  private final Remedy remedy;

  StartFailedException(String output, String log) {
    super("PostgreSQL did not start:\n" + (log.isEmpty() ? output : log));
    this.remedy = remedyFor(log);
  }

  /** Returns the line with the error, without its time and process. */
  String reason() {
    return String.valueOf(getMessage())
        .lines()
        .filter(line -> line.contains("FATAL:") || line.contains("PANIC:"))
        .map(line -> line.replaceFirst("^.*(FATAL|PANIC): *", ""))
        .findFirst()
        .orElse("PostgreSQL did not start");
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
