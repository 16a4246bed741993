package dev.hapax.postgres.run;

import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.read.Micros;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes runs that ended long ago, once no key and no token remembers them: with their histories,
 * inboxes, named steps and labels, and with the keys and tokens that led to them. It scans the
 * table in the order of its pages, some at a time, each time with a pause as long as they took. A
 * scan that does not finish in time continues there in the next round.
 */
public final class RunPurge {
  private static final Logger LOG = LoggerFactory.getLogger(RunPurge.class);

  /** The longest round: the other work of housekeeping waits for it. */
  private static final Duration LENGTH = Duration.ofMinutes(2);

  /** The longest time from the start of a scan to that of the next one. */
  private static final Duration MAX_PERIOD = Duration.ofDays(1);

  /** Runs are removed late by at most this part of their retention. */
  private static final int LATENESS = 30;

  /** The most events removed in one transaction; a run with more is removed alone. */
  private static final long EVENTS = 20_000;

  private final MaintenanceConnections connections;
  private final PurgeStatements statements;
  private final Duration period;
  private final LongConsumer pause;
  private final LongSupplier nanoTime;
  private Place position = Place.FIRST;
  private @Nullable Long scanStartNanos;

  /** Keeps runs for at least {@code retention} after their end. */
  public RunPurge(MaintenanceConnections connections, Duration retention) {
    this(connections, retention, LockSupport::parkNanos, System::nanoTime);
  }

  /** Pauses with {@code pause}, which takes nanoseconds. */
  public RunPurge(
      MaintenanceConnections connections,
      Duration retention,
      LongConsumer pause,
      LongSupplier nanoTime) {
    this.connections = connections;
    this.statements = new PurgeStatements(Micros.of(retention));
    var lateness = retention.dividedBy(LATENESS);
    this.period = lateness.compareTo(MAX_PERIOD) < 0 ? lateness : MAX_PERIOD;
    this.pause = pause;
    this.nanoTime = nanoTime;
  }

  /** The place of a row in its table: a page, and its line from 1. */
  record Place(long page, int line) {
    static final Place FIRST = new Place(0, 0);

    /** Parses a {@code tid} as PostgreSQL prints it. */
    static Place of(String tid) {
      var comma = tid.indexOf(',');
      return new Place(
          Long.parseLong(tid.substring(1, comma)),
          Integer.parseInt(tid.substring(comma + 1, tid.length() - 1)));
    }

    @Override
    public String toString() {
      return "(%d,%d)".formatted(page, line);
    }
  }

  /** A run that ended long ago, with no key or token that leads to it. */
  record OldRun(RunId id, long events, Place place) {}

  /** Removes old runs for two minutes at most; returns their number. */
  public int run() throws SQLException {
    if (position.equals(Place.FIRST) && !isTimeToScan()) {
      return 0;
    }
    var removed = 0;
    try (var connection = connections.open()) {
      removed = scan(connection, nanoTime.getAsLong() + LENGTH.toNanos());
    }
    if (removed > 0) {
      LOG.info("removed {} runs that ended long ago", removed);
    }
    return removed;
  }

  private boolean isTimeToScan() {
    var now = nanoTime.getAsLong();
    if (scanStartNanos != null && now - scanStartNanos < period.toNanos()) {
      return false;
    }
    scanStartNanos = now;
    return true;
  }

  private int scan(Connection connection, long end) throws SQLException {
    var removed = 0;
    var pages = statements.pages(connection);
    while (position.page() < pages && !isOver(end)) {
      var begun = nanoTime.getAsLong();
      var found = statements.next(connection, position);
      var part = part(found);
      removed += remove(connection, part);
      position =
          part.size() < found.size()
              ? part.getLast().place()
              : new Place(position.page() + PurgeStatements.PAGES, 0);
      if (position.page() < pages) {
        // pauses half of the time: a backlog of millions must not slow down calls
        pause.accept(nanoTime.getAsLong() - begun);
      }
    }
    if (position.page() >= pages) {
      position = Place.FIRST;
    }
    return removed;
  }

  private boolean isOver(long end) {
    return nanoTime.getAsLong() - end >= 0 || Thread.currentThread().isInterrupted();
  }

  /** The first runs that have not too many events together. */
  private static List<OldRun> part(List<OldRun> found) {
    var part = new ArrayList<OldRun>();
    var events = 0L;
    for (var old : found) {
      events += old.events();
      if (!part.isEmpty() && events > EVENTS) {
        break;
      }
      part.add(old);
    }
    return part;
  }

  private int remove(Connection connection, List<OldRun> part) throws SQLException {
    if (part.isEmpty()) {
      return 0;
    }
    connection.setAutoCommit(false);
    try {
      var removed = statements.remove(connection, part.stream().map(OldRun::id).toList());
      connection.commit();
      return removed;
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }
}
