package dev.hapax.bootstrap.config;

import java.io.IOException;

/** A server cannot start; the reason is the exit code of its process. */
public final class StartException extends IOException {
  private static final long serialVersionUID = 1L;

  /** What a service manager must know: whether a restart can succeed. */
  public enum Reason {
    /** A restart fails again. */
    CONFIGURATION(2),
    /** A restart succeeds when the database is back. */
    DATABASE_AWAY(7),
    /** The database, its user or its schema must be changed first. */
    DATABASE_REFUSES(8),
    /** A restart succeeds when the other process has exited. */
    ADDRESS_TAKEN(9);

    private final int exitCode;

    Reason(int exitCode) {
      this.exitCode = exitCode;
    }

    public int exitCode() {
      return exitCode;
    }
  }

  private final Reason reason;

  public StartException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public StartException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
