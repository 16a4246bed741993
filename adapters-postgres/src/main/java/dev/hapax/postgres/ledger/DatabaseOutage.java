package dev.hapax.postgres.ledger;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the database answers. While it does not, one probe decides for all connections of the
 * server when it does again; no pool tries by itself, and no back-off outlasts the outage.
 */
public final class DatabaseOutage implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DatabaseOutage.class);
  private static final long PAUSE_MILLIS = 250;

  private final DataSource probe;

  /** Written under the lock; each call reads it. */
  private volatile OptionalLong sinceNanos = OptionalLong.empty();

  // guarded by this
  private String cause = "";
  private boolean closed;

  /**
   * Begins without an outage.
   *
   * @param probe gives up within about a second
   */
  public DatabaseOutage(DataSource probe) {
    this.probe = probe;
  }

  /**
   * The database did not answer; the probe decides whether that is an outage.
   *
   * @param sinceNanos when the request was sent, by {@link System#nanoTime}
   */
  public synchronized void suspect(long sinceNanos, SQLException e) {
    if (this.sinceNanos.isEmpty() && !closed) {
      this.sinceNanos = OptionalLong.of(sinceNanos);
      cause = String.valueOf(e.getMessage());
      Thread.ofPlatform().daemon().name("database-probe").start(this::probe);
    }
  }

  private void probe() {
    while (!isClosed()) {
      try (var _ = probe.getConnection()) {
        ended();
        return;
      } catch (SQLException | RuntimeException | Error e) {
        LOG.debug("the database does not answer yet: {}", e.getMessage());
      }
      pause();
    }
  }

  private synchronized void pause() {
    try {
      if (!closed) {
        TimeUnit.MILLISECONDS.timedWait(this, PAUSE_MILLIS);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private synchronized void ended() {
    sinceNanos = OptionalLong.empty();
    notifyAll();
  }

  /** How long the database has not answered; empty = it answers, as far as this server knows. */
  public Optional<Duration> duration() {
    var since = sinceNanos;
    return since.isPresent()
        ? Optional.of(Duration.ofNanos(System.nanoTime() - since.getAsLong()))
        : Optional.empty();
  }

  /**
   * Waits for the end of the outage, if there is one.
   *
   * @throws SQLException if it continues, or the server stops
   */
  public synchronized void awaitEnd(Duration atMost) throws SQLException {
    var end = System.nanoTime() + atMost.toNanos();
    while (sinceNanos.isPresent() && !closed) {
      var left = end - System.nanoTime();
      if (left <= 0) {
        throw new SQLException(cause, "08001");
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        throw new SQLException("interrupted while the database does not answer", "08001");
      }
    }
    if (closed) {
      throw new SQLException("the server is stopping", "08001");
    }
  }

  /** Ends all waits. */
  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
  }
}
