package dev.hapax.postgres;

import dev.hapax.domain.monitoring.NodeFacts;
import dev.hapax.postgres.ServerNode.Registration;
import dev.hapax.postgres.ledger.CommitNotifier;
import dev.hapax.postgres.ledger.DatabaseFence;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.ledger.SqlState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the row of this server. It uses the listening connection, whose probe it replaces, so an
 * idle server sends no statement more.
 */
final class NodeHeartbeat implements CommitNotifier.Heartbeat, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeHeartbeat.class);
  private static final Duration ROW_KEPT = Duration.ofHours(12);

  private final ServerNode node;
  private final DatabaseFence fence;
  private final MaintenanceConnections connections;
  private final DataSource pool;

  private volatile Supplier<Optional<NodeFacts>> facts = Optional::empty;

  private volatile Registration last;
  private volatile Instant renewedAt = Instant.now();
  private volatile long renewedNanos = System.nanoTime();

  // guarded by this
  private boolean failing;
  private boolean closed;

  /**
   * Renews the row of a registered server at each beat.
   *
   * @param last its registration so far
   * @param fence is closed when the database refuses the server
   * @param connections whose settings the listening connection gets
   * @param pool to remove the row with: it fails within a second if the database does not answer
   */
  NodeHeartbeat(
      ServerNode node,
      Registration last,
      DatabaseFence fence,
      MaintenanceConnections connections,
      DataSource pool) {
    this.node = node;
    this.last = last;
    this.fence = fence;
    this.connections = connections;
    this.pool = pool;
  }

  @Override
  public void begin(Connection connection) throws SQLException {
    connections.begin(connection);
    beat(connection);
  }

  /** Logs the first of several failures; notifications still arrive. */
  @Override
  public synchronized void beat(Connection connection) throws SQLException {
    if (closed) {
      return;
    }
    try {
      fence.requireTables(connection);
      var sentNanos = System.nanoTime();
      var registration = node.register(connection, remembered(), facts.get());
      fence.clock().read(registration.at(), sentNanos);
      renewed(registration);
      if (failing) {
        failing = false;
        LOG.info("this server renews its registration again");
      }
    } catch (SQLException e) {
      if (SqlState.of(e) == SqlState.CONNECTION_LOST) {
        throw e;
      }
      if (DatabaseFence.isRefusal(e)) {
        fence.refuse(SqlState.message(e));
      }
      if (!failing) {
        failing = true;
        LOG.warn(
            "this server cannot renew its registration, retries every 10 s: {}",
            SqlState.message(e));
      }
    }
  }

  /** Other servers remove rows that are a day old, so a missing one proves nothing then. */
  private Registration remembered() {
    return Duration.between(renewedAt, Instant.now()).compareTo(ROW_KEPT) < 0
        ? last
        : Registration.NONE;
  }

  private void renewed(Registration registration) {
    if (last.timeline() > 0 && registration.timeline() > last.timeline()) {
      LOG.warn(
          "the database was promoted: timeline {}, and {} before. Run `hapax doctor --after-restore=replacement` if the"
              + " standby lagged behind",
          registration.timeline(),
          last.timeline());
    }
    last = registration;
    renewedAt = Instant.now();
    renewedNanos = System.nanoTime();
  }

  /** Reports this with each beat from now on. */
  void report(Supplier<NodeFacts> own) {
    facts = () -> Optional.of(own.get());
  }

  /** The timeline of the database at the last beat; 0 = the provider hides it. */
  int timeline() {
    return last.timeline();
  }

  /** The time since the registration was renewed, or since this server began to renew it. */
  Duration age() {
    return Duration.ofNanos(System.nanoTime() - renewedNanos);
  }

  /** Removes the row, if the database answers; otherwise it counts for 60 s. */
  @Override
  public synchronized void close() {
    closed = true;
    try (var connection = pool.getConnection()) {
      node.remove(connection);
    } catch (SQLException e) {
      LOG.info("the registration of this server stays for 60 s: {}", e.getMessage());
    }
  }
}
