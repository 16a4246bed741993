package dev.hapax.postgres.run;

import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.run.PageScan.Place;
import dev.hapax.postgres.run.PageScan.Removed;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes runs that ended long ago, once no key and no token remembers them: with their histories,
 * inboxes, named steps and labels, and with the tokens that led to them. Their keys are left to
 * {@link RunKeyPurge}.
 */
public final class RunPurge {
  private static final Logger LOG = LoggerFactory.getLogger(RunPurge.class);

  /** The most events removed in one transaction; a run with more is removed alone. */
  private static final long EVENTS = 20_000;

  private final MaintenanceConnections connections;
  private final PurgeStatements statements;
  private final PageScan scan;

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
    this.scan = new PageScan("hapax.run", retention, pause, nanoTime);
  }

  /** A run that ended long ago, with no key or token that leads to it. */
  record OldRun(RunId id, long events, Place place) {}

  /** Removes old runs for two minutes at most; returns their number. */
  public int run() throws SQLException {
    var removed = scan.run(connections, this::remove);
    if (removed > 0) {
      LOG.info("removed {} runs that ended long ago", removed);
    }
    return removed;
  }

  private Removed remove(Connection connection, Place from) throws SQLException {
    var found = statements.next(connection, from);
    var part = part(found);
    return new Removed(
        remove(connection, part),
        part.size() < found.size() ? Optional.of(part.getLast().place()) : Optional.empty());
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
    return PageScan.inTransaction(
        connection, () -> statements.remove(connection, part.stream().map(OldRun::id).toList()));
  }
}
