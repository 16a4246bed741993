package dev.hapax.application.waiting;

import dev.hapax.domain.ledger.LedgerException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs the failures of one kind of background work, for which no caller waits: the first one at
 * once, then at most one line in 30 s, which counts those in between.
 */
public final class FailureLog {
  private static final Duration INTERVAL = Duration.ofSeconds(30);

  private final System.Logger log;
  private final String work;
  private final LongSupplier nanoTime;

  // guarded by this
  private boolean hasLogged;
  private long lastNanos;
  private long omitted;

  /**
   * Creates the log of one kind of work.
   *
   * @param owner the class whose log this is
   * @param work a noun phrase that operators search for, such as "scan for due runs"
   */
  public FailureLog(Class<?> owner, String work) {
    this(owner, work, System::nanoTime);
  }

  FailureLog(Class<?> owner, String work, LongSupplier nanoTime) {
    this.log = System.getLogger(owner.getName());
    this.work = work;
    this.nanoTime = nanoTime;
  }

  /** Logs the failure of a future, if it failed; for {@code whenComplete}. */
  public void ended(@Nullable Object outcome, @Nullable Throwable failure) {
    if (failure != null) {
      failed(failure);
    }
  }

  /** The work as a periodic task: what it throws is logged, since it would cancel the task. */
  public Runnable surviving(Runnable work) {
    return () -> {
      try {
        work.run();
      } catch (RuntimeException | Error e) {
        failed(e);
      }
    };
  }

  /** Logs a failure of work that is retried automatically. */
  public void failed(Throwable failure) {
    var cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof LedgerException.Moved) {
      // its new cell does the work
      return;
    }
    long failures;
    synchronized (this) {
      var now = nanoTime.getAsLong();
      if (hasLogged && now - lastNanos < INTERVAL.toNanos()) {
        omitted++;
        return;
      }
      failures = 1 + omitted;
      hasLogged = true;
      lastNanos = now;
      omitted = 0;
    }
    var message =
        "%s failed%s, will retry: %s"
            .formatted(
                work,
                failures == 1 ? "" : String.format(Locale.ROOT, " (%d times)", failures),
                text(cause));
    switch (cause) {
      // expected while the database is unavailable or busy, so a stack trace adds nothing
      case LedgerException.Unavailable _, LedgerException.Overloaded _ ->
          log.log(Level.WARNING, message);
      default -> log.log(Level.WARNING, message, cause);
    }
  }

  private static String text(Throwable cause) {
    return cause.getMessage() == null ? cause.getClass().getName() : cause.getMessage();
  }
}
