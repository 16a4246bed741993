package dev.hapax.domain.ledger;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A command was not executed, or its outcome is unknown. Never a lost race. */
public abstract sealed class LedgerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private LedgerException(String message, Throwable cause) {
    super(message, cause);
  }

  private LedgerException(String message) {
    // created under load and only passed to futures, so it needs no stack trace
    super(message, null, false, false);
  }

  /** The queue is full; the command had no effect. */
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
   * The database did not answer in time, or the ledger is closed; the effect of the command is
   * unknown.
   */
  public static final class Unavailable extends LedgerException {
    private static final long serialVersionUID = 1L;
    private final @Nullable Duration retryAfter;

    public Unavailable(String message) {
      super(message);
      retryAfter = null;
    }

    public Unavailable(String message, Throwable cause) {
      super(message, cause);
      retryAfter = null;
    }

    /** An outage that continues: sooner than this, a retry is of no use. */
    public Unavailable(String message, Duration retryAfter) {
      super(message);
      this.retryAfter = retryAfter;
    }

    /** An outage that continues, and why. */
    public Unavailable(String message, Throwable cause, Duration retryAfter) {
      super(message, cause);
      this.retryAfter = retryAfter;
    }

    /** When to retry; empty = at once, perhaps on another server. */
    public Optional<Duration> retryAfter() {
      return Optional.ofNullable(retryAfter);
    }
  }

  /** The workspace of the command is in another cell; the command had no effect. */
  public static final class Moved extends LedgerException {
    private static final long serialVersionUID = 1L;

    public Moved(String workspace) {
      super("workspace " + workspace + " is in another cell");
    }
  }

  /**
   * The command is defective: its decision threw, or its statement cannot run. It had no effect.
   */
  public static final class Defective extends LedgerException {
    private static final long serialVersionUID = 1L;

    public Defective(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
