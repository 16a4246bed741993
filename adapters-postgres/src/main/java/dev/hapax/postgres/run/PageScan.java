package dev.hapax.postgres.run;

import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.ledger.Pipeline;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Removes old rows of a table in the order of its pages, some at a time, each time with a pause as
 * long as they took. A scan that does not finish in time continues there in the next round.
 */
final class PageScan {
  /** The number of pages of the table that one step scans. */
  static final int PAGES = 32;

  /** The longest round: the other work of housekeeping waits for it. */
  private static final Duration LENGTH = Duration.ofMinutes(2);

  /** The longest time from the start of a scan to that of the next one. */
  private static final Duration MAX_PERIOD = Duration.ofDays(1);

  /** Rows are removed late by at most this part of their retention. */
  private static final int LATENESS = 30;

  private final String pageCount;
  private final Duration period;
  private final LongConsumer pause;
  private final LongSupplier nanoTime;
  private Place position = Place.FIRST;
  private @Nullable Long scanStartNanos;

  /**
   * A scan of this table.
   *
   * @param retention how long its rows are kept
   * @param pause takes nanoseconds
   */
  PageScan(String table, Duration retention, LongConsumer pause, LongSupplier nanoTime) {
    this.pageCount =
        "SELECT pg_relation_size('%s') / current_setting('block_size')::int".formatted(table);
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

    /** The end of the pages that a step scans from here. */
    Place next() {
      return new Place(page + PAGES, 0);
    }

    @Override
    public String toString() {
      return "(%d,%d)".formatted(page, line);
    }
  }

  /**
   * What a step did.
   *
   * @param number of removed rows
   * @param last the place of the last row it dealt with; empty = it has scanned all its pages
   */
  record Removed(int number, Optional<Place> last) {}

  /** Removes what is old between a place and {@link Place#next}. */
  @FunctionalInterface
  interface Step {
    Removed remove(Connection connection, Place from) throws SQLException;
  }

  /** Statements of one transaction. */
  @FunctionalInterface
  interface Transaction {
    int run() throws SQLException;
  }

  /** Runs these statements, and commits them if none fails. */
  static int inTransaction(Connection connection, Transaction statements) throws SQLException {
    connection.setAutoCommit(false);
    try {
      var result = statements.run();
      connection.commit();
      return result;
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  /** Scans for two minutes at most, if it is time to; returns the number of removed rows. */
  int run(MaintenanceConnections connections, Step step) throws SQLException {
    if (position.equals(Place.FIRST) && !isTimeToScan()) {
      return 0;
    }
    try (var connection = connections.open()) {
      return scan(connection, step, nanoTime.getAsLong() + LENGTH.toNanos());
    }
  }

  private boolean isTimeToScan() {
    var now = nanoTime.getAsLong();
    if (scanStartNanos != null && now - scanStartNanos < period.toNanos()) {
      return false;
    }
    scanStartNanos = now;
    return true;
  }

  private int scan(Connection connection, Step step, long end) throws SQLException {
    var removed = 0;
    var pages = pages(connection);
    while (position.page() < pages && !isOver(end)) {
      var begun = nanoTime.getAsLong();
      var done = step.remove(connection, position);
      removed += done.number();
      position = done.last().orElse(position.next());
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

  private long pages(Connection connection) throws SQLException {
    var pages = new long[1];
    var pipeline = new Pipeline(connection);
    pipeline.query(pageCount, List.of(), row -> pages[0] = row.getLong(1));
    pipeline.run();
    return pages[0];
  }

  private boolean isOver(long end) {
    return nanoTime.getAsLong() - end >= 0 || Thread.currentThread().isInterrupted();
  }
}
