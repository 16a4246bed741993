package dev.hapax.postgres.entity;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the histories of deleted entities, and events that are older than their retention. Scans
 * entity by entity, since an index of events by time would cost every claim. Each statement is
 * bounded, and is followed by a pause as long as it took; one server purges at a time.
 */
public final class EntityEventPurge {
  private static final Logger LOG = LoggerFactory.getLogger(EntityEventPurge.class);

  /**
   * The number of last events that stay of an existing entity: the ends of claims are read from
   * them.
   */
  public static final int KEPT = 10;

  private static final long LOCK = 4_217_003;

  /** The longest round; the next one continues. */
  private static final Duration ROUND = Duration.ofMinutes(2);

  /** The pause after a complete scan. */
  private static final Duration SCAN_PAUSE = Duration.ofHours(6);

  private final MaintenanceConnections connections;
  private final EntityEventPurgeStatements statements;
  private Optional<EntityId> scannedTo = Optional.empty();
  private long pauseUntil = System.nanoTime();

  /**
   * Purges with {@link #run}.
   *
   * @param retention how long an event is kept, at least
   */
  public EntityEventPurge(MaintenanceConnections connections, Duration retention) {
    this.connections = connections;
    this.statements = new EntityEventPurgeStatements(retention);
  }

  /** Runs one round; returns how many events were removed. */
  public long run() throws SQLException {
    try (var connection = connections.open()) {
      if (!statements.lock(connection, LOCK)) {
        return 0;
      }
      try {
        var round = new Round(connection, System.nanoTime() + ROUND.toNanos());
        round.removeDeletedHistories();
        round.forgetDeletions();
        round.scan();
        if (round.removed > 0) {
          LOG.info("removed {} events of entities, deleted or older than retained", round.removed);
        }
        return round.removed;
      } finally {
        statements.unlock(connection, LOCK);
      }
    }
  }

  private interface Work<T> {
    T run() throws SQLException;
  }

  private final class Round {
    private final Connection connection;
    private final long end;
    private long removed;

    Round(Connection connection, long end) {
      this.connection = connection;
      this.end = end;
    }

    private boolean isOver() {
      return System.nanoTime() - end >= 0 || Thread.currentThread().isInterrupted();
    }

    /** Pauses after the work for as long as it took. */
    private <T> T paced(Work<T> work) throws SQLException {
      var start = System.nanoTime();
      var result = work.run();
      try {
        Thread.sleep(Duration.ofNanos(System.nanoTime() - start));
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
      return result;
    }

    void removeDeletedHistories() throws SQLException {
      while (!isOver()) {
        var deletions = paced(() -> statements.unpurged(connection));
        for (var deletion : deletions) {
          if (!remove(() -> statements.removeBefore(connection, deletion))) {
            return;
          }
          paced(() -> statements.purged(connection, deletion));
        }
        if (deletions.isEmpty()) {
          return;
        }
      }
    }

    void forgetDeletions() throws SQLException {
      while (!isOver()) {
        var forgotten = paced(() -> statements.forget(connection));
        removed += forgotten.events();
        if (forgotten.deletions() == 0) {
          return;
        }
      }
    }

    void scan() throws SQLException {
      if (System.nanoTime() - pauseUntil < 0) {
        return;
      }
      while (!isOver()) {
        var page = paced(() -> statements.page(connection, scannedTo));
        for (var old : page.old()) {
          if (!remove(() -> statements.removeOld(connection, old))) {
            return;
          }
        }
        scannedTo = page.last();
        if (scannedTo.isEmpty()) {
          pauseUntil = System.nanoTime() + SCAN_PAUSE.toNanos();
          return;
        }
      }
    }

    /** Repeats until a statement removes less than its limit; false = the round is over before. */
    private boolean remove(Work<Integer> some) throws SQLException {
      while (!isOver()) {
        int number = paced(some);
        removed += number;
        if (number < EntityEventPurgeStatements.AT_ONCE) {
          return true;
        }
      }
      return false;
    }
  }

  /** An entity and the last version of its history that may be removed. */
  record HistoryEnd(EntityId entity, long version) {
    static HistoryEnd of(String workspace, String lifecycle, String id, long version) {
      return new HistoryEnd(new EntityId(new Workspace(workspace), lifecycle, id), version);
    }
  }
}
