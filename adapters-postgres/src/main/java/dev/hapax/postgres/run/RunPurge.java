package dev.hapax.postgres.run;

import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.read.Micros;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes runs that ended long ago, once no key and no token remembers them: with their histories,
 * inboxes, named steps and labels, and with the keys and tokens that led to them. It goes from the
 * oldest end to the youngest, a page at a time with a pause as long as the page took, and goes on
 * there the next time.
 */
public final class RunPurge {
  private static final Logger LOG = LoggerFactory.getLogger(RunPurge.class);

  /** Now and then it begins again, for those that were still remembered. */
  private static final int ROUNDS = 144;

  /** The other work of housekeeping waits for this long at most. */
  private static final Duration LENGTH = Duration.ofMinutes(2);

  private static final int PAGE = 500;

  /** In one transaction; a run that has more is removed alone. */
  private static final long EVENTS = 20_000;

  private final MaintenanceConnections connections;
  private final PurgeStatements statements;
  private final LongConsumer pause;
  private final LongSupplier nanoTime;
  private Instant floor = Instant.EPOCH;
  private int round;

  /** {@code retention} is how long a run is kept after its end, at least. */
  public RunPurge(DataSource database, Duration retention) {
    this(database, retention, LockSupport::parkNanos, System::nanoTime);
  }

  /** {@code pause} waits so many nanoseconds. */
  public RunPurge(
      DataSource database, Duration retention, LongConsumer pause, LongSupplier nanoTime) {
    this.connections = new MaintenanceConnections(database);
    this.statements = new PurgeStatements(Micros.of(retention));
    this.pause = pause;
    this.nanoTime = nanoTime;
  }

  /** A run that ended long ago. */
  record Old(RunId id, long events, Instant end, boolean isForgotten) {}

  /** Removes what there is to remove, for two minutes at most; returns how many runs that were. */
  public int run() throws SQLException {
    if (round++ % ROUNDS == 0) {
      floor = Instant.EPOCH;
    }
    var removed = 0;
    var end = nanoTime.getAsLong() + LENGTH.toNanos();
    try (var connection = connections.open()) {
      while (!isOver(end)) {
        var begun = nanoTime.getAsLong();
        var page = page(connection);
        if (page.isEmpty()) {
          break;
        }
        var part = part(page);
        var number = remove(connection, part);
        removed += number;
        var isLast = part.size() == page.size() && page.size() < PAGE;
        moveOn(part, number);
        if (isLast) {
          break;
        }
        // half of the time at most: a backlog of millions must not slow down what callers do
        pause.accept(nanoTime.getAsLong() - begun);
      }
    }
    if (removed > 0) {
      LOG.info("removed {} runs that ended long ago", removed);
    }
    return removed;
  }

  private boolean isOver(long end) {
    return nanoTime.getAsLong() - end >= 0 || Thread.currentThread().isInterrupted();
  }

  private List<Old> page(Connection connection) throws SQLException {
    return statements.page(connection, floor, PAGE);
  }

  /** The first of them, so that there are not too many events. */
  private static List<Old> part(List<Old> page) {
    var part = new ArrayList<Old>();
    var events = 0L;
    for (var old : page) {
      events += old.isForgotten() ? old.events() : 0;
      if (!part.isEmpty() && events > EVENTS) {
        break;
      }
      part.add(old);
    }
    return part;
  }

  /** Not past those that ended at the same time, unless these are all that are seen. */
  private void moveOn(List<Old> seen, int removed) {
    var last = seen.getLast().end();
    var isStuck = removed == 0 && last.equals(seen.getFirst().end());
    floor = isStuck ? last.plusNanos(1_000) : last;
  }

  private int remove(Connection connection, List<Old> part) throws SQLException {
    var forgotten = part.stream().filter(Old::isForgotten).map(Old::id).toList();
    if (forgotten.isEmpty()) {
      return 0;
    }
    connection.setAutoCommit(false);
    try {
      var removed = statements.remove(connection, forgotten);
      connection.commit();
      return removed;
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }
}
