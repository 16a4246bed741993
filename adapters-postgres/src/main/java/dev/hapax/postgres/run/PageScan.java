package dev.hapax.postgres.run;

import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.ReadSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Removes old rows of a table in the order of its pages. After each step it pauses for as long as
 * the step took. A scan that does not finish in one round continues in the next where it stopped.
 */
final class PageScan {
  /** The number of pages of the table that one step scans. */
  static final int PAGES = 32;

  /** The longest round: the other work of housekeeping waits for it. */
  private static final Duration MAX_ROUND = Duration.ofMinutes(2);

  /** The longest time from the start of a scan to that of the next one. */
  private static final Duration MAX_PERIOD = Duration.ofDays(1);

  /** A scan starts at least every thirtieth of the retention: rows are removed about that late. */
  private static final int SCANS_PER_RETENTION = 30;

  private final String nextSql;
  private final Duration period;
  private final LongConsumer pause;
  private final LongSupplier nanoTime;

  /** Where the scan that is under way continues; null = none is under way. */
  private @Nullable Place position;

  private @Nullable Long scanStartNanos;

  /**
   * A scan of this table.
   *
   * @param retention how long its rows are kept
   * @param pause sleeps for this many nanoseconds
   */
  PageScan(String table, Duration retention, LongConsumer pause, LongSupplier nanoTime) {
    this.nextSql = next(table);
    var lateness = retention.dividedBy(SCANS_PER_RETENTION);
    this.period = lateness.compareTo(MAX_PERIOD) < 0 ? lateness : MAX_PERIOD;
    this.pause = pause;
    this.nanoTime = nanoTime;
  }

  /**
   * Selects the next row of a table. The size of its file would not tell where it ends: in a
   * database of several nodes the rows may be in the file of another one.
   */
  static String next(String table) {
    return "SELECT ctid FROM %s WHERE ctid > ?::tid LIMIT 1".formatted(table);
  }

  /** A row's place in its table: its page, and its line from 1; line 0 = before the first row. */
  record Place(long page, int line) {
    static final Place FIRST = new Place(0, 0);

    /** Parses a {@code tid} as PostgreSQL prints it. */
    static Place of(String tid) {
      var comma = tid.indexOf(',');
      return new Place(
          Long.parseLong(tid.substring(1, comma)),
          Integer.parseInt(tid.substring(comma + 1, tid.length() - 1)));
    }

    /** The place before this one. */
    Place before() {
      return new Place(page, line - 1);
    }

    /** The end of the pages that a step scans from here. */
    Place next() {
      return new Place(page + PAGES, 0);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "(%d,%d)", page, line);
    }
  }

  /**
   * What a step did.
   *
   * @param number how many rows it removed
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

  /** Runs these statements in one transaction, commits, and returns their result. */
  static int inTransaction(Connection connection, Transaction statements) throws SQLException {
    connection.setAutoCommit(false);
    try {
      var result = statements.run();
      connection.commit();
      connection.setAutoCommit(true);
      return result;
    } catch (SQLException | RuntimeException e) {
      rollBack(connection, e);
      throw e;
    }
  }

  private static void rollBack(Connection connection, Exception cause) {
    try {
      connection.rollback();
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  /** Scans for two minutes at most, if it is time to; returns the number of removed rows. */
  int run(MaintenanceConnections connections, Step step) throws SQLException {
    if (position == null) {
      if (!isTimeToScan()) {
        return 0;
      }
      position = Place.FIRST;
    }
    try (var connection = connections.open()) {
      return scan(connection, step, position, nanoTime.getAsLong() + MAX_ROUND.toNanos());
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

  private int scan(Connection connection, Step step, Place from, long endNanos)
      throws SQLException {
    var removed = 0;
    var next = next(connection, from);
    while (next.isPresent() && !isOver(endNanos)) {
      var place = next.get();
      position = place;
      var begunNanos = nanoTime.getAsLong();
      var done = step.remove(connection, place);
      removed += done.number();
      next = next(connection, done.last().orElse(place.next()));
      if (next.isPresent()) {
        // pauses half of the time: a backlog of millions must not slow down calls
        pause.accept(nanoTime.getAsLong() - begunNanos);
      }
    }
    position = next.orElse(null);
    return removed;
  }

  /** The place before the next row; empty = there is none. */
  private Optional<Place> next(Connection connection, Place from) throws SQLException {
    var found = new ArrayList<Place>();
    IndexScan.query(
        ReadSession.wide(connection),
        nextSql,
        List.of(from.toString()),
        row -> found.add(Place.of(row.getString(1)).before()));
    return found.stream().findFirst();
  }

  private boolean isOver(long endNanos) {
    return nanoTime.getAsLong() - endNanos >= 0 || Thread.currentThread().isInterrupted();
  }
}
