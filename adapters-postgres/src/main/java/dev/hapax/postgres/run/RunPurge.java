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
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes runs that ended long ago, once no key and no token remembers them: with their histories,
 * inboxes, named steps and labels, and with the keys and tokens that led to them. It walks through
 * the table in the order of its pages, some at a time with a pause as long as they took. A walk
 * that is not over in time goes on there the next time.
 */
public final class RunPurge {
  private static final Logger LOG = LoggerFactory.getLogger(RunPurge.class);

  /** The other work of housekeeping waits for this long at most. */
  private static final Duration LENGTH = Duration.ofMinutes(2);

  /** From the beginning of a walk to that of the next one, at most. */
  private static final Duration MAX_PERIOD = Duration.ofDays(1);

  /** A run is removed late by this part of its retention, at most. */
  private static final int LATENESS = 30;

  /** In one transaction; a run that has more is removed alone. */
  private static final long EVENTS = 20_000;

  private final MaintenanceConnections connections;
  private final PurgeStatements statements;
  private final Duration period;
  private final LongConsumer pause;
  private final LongSupplier nanoTime;
  private Place floor = Place.FIRST;
  private @Nullable Long walkBegunNanos;

  /** {@code retention} is how long a run is kept after its end, at least. */
  public RunPurge(DataSource database, Duration retention) {
    this(database, retention, LockSupport::parkNanos, System::nanoTime);
  }

  /** {@code pause} waits so many nanoseconds. */
  public RunPurge(
      DataSource database, Duration retention, LongConsumer pause, LongSupplier nanoTime) {
    this.connections = new MaintenanceConnections(database);
    this.statements = new PurgeStatements(Micros.of(retention));
    var lateness = retention.dividedBy(LATENESS);
    this.period = lateness.compareTo(MAX_PERIOD) < 0 ? lateness : MAX_PERIOD;
    this.pause = pause;
    this.nanoTime = nanoTime;
  }

  /** Where a row is in its table: a page, and a line of it from 1. */
  record Place(long page, int line) {
    static final Place FIRST = new Place(0, 0);

    /** As PostgreSQL writes a {@code tid}. */
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

  /** A run that ended long ago, and nothing remembers it. */
  record Old(RunId id, long events, Place place) {}

  /** Removes what there is to remove, for two minutes at most; returns how many runs that were. */
  public int run() throws SQLException {
    if (floor.equals(Place.FIRST) && !isTimeToWalk()) {
      return 0;
    }
    var removed = 0;
    try (var connection = connections.open()) {
      removed = walk(connection, nanoTime.getAsLong() + LENGTH.toNanos());
    }
    if (removed > 0) {
      LOG.info("removed {} runs that ended long ago", removed);
    }
    return removed;
  }

  private boolean isTimeToWalk() {
    var now = nanoTime.getAsLong();
    if (walkBegunNanos != null && now - walkBegunNanos < period.toNanos()) {
      return false;
    }
    walkBegunNanos = now;
    return true;
  }

  private int walk(Connection connection, long end) throws SQLException {
    var removed = 0;
    var pages = statements.pages(connection);
    while (floor.page() < pages && !isOver(end)) {
      var begun = nanoTime.getAsLong();
      var found = statements.next(connection, floor);
      var part = part(found);
      removed += remove(connection, part);
      floor =
          part.size() < found.size()
              ? part.getLast().place()
              : new Place(floor.page() + PurgeStatements.PAGES, 0);
      if (floor.page() < pages) {
        // half of the time at most: a backlog of millions must not slow down what callers do
        pause.accept(nanoTime.getAsLong() - begun);
      }
    }
    if (floor.page() >= pages) {
      floor = Place.FIRST;
    }
    return removed;
  }

  private boolean isOver(long end) {
    return nanoTime.getAsLong() - end >= 0 || Thread.currentThread().isInterrupted();
  }

  /** The first of them, so that there are not too many events. */
  private static List<Old> part(List<Old> found) {
    var part = new ArrayList<Old>();
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

  private int remove(Connection connection, List<Old> part) throws SQLException {
    if (part.isEmpty()) {
      return 0;
    }
    connection.setAutoCommit(false);
    try {
      var removed = statements.remove(connection, part.stream().map(Old::id).toList());
      connection.commit();
      return removed;
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }
}
