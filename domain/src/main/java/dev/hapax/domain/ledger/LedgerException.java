package dev.hapax.domain.ledger;

import java.time.Duration;

/** A command was not executed, or its outcome is not known. Never a lost race. */
public abstract sealed class LedgerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private LedgerException(String message, Throwable cause) {
    super(message, cause);
  }

  private LedgerException(String message) {
    // made under load and thrown nowhere: a stack trace would only cost
    super(message, null, false, false);
  }

  /** The queue is full; nothing happened. */
  public static final class Overloaded extends LedgerException {
    private static final long serialVersionUID = 1L;
    private final Duration retryAfter;
    private final String limit;

    public Overloaded(String limit, Duration retryAfter) {
      super("the ledger's queue is full: " + limit);
      this.limit = limit;
      this.retryAfter = retryAfter;
    }

    public Duration retryAfter() {
      return retryAfter;
    }

    public String limit() {
      return limit;
    }
  }

  /**
   * The database did not answer in time, or the ledger is closed; it may or may not have happened.
   */
  public static final class Unavailable extends LedgerException {
    private static final long serialVersionUID = 1L;

    public Unavailable(String message) {
      super(message);
    }

    public Unavailable(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * The command itself is broken: its decision threw, or its statement cannot run. Nothing
   * happened.
   */
  public static final class Defective extends LedgerException {
    private static final long serialVersionUID = 1L;

    public Defective(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
