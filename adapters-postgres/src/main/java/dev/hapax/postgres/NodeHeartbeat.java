package dev.hapax.postgres;

import dev.hapax.postgres.ledger.CommitNotifier;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.ledger.SqlState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the row of this server, or inserts it again if it has gone. It uses the listening
 * connection, whose probe it replaces, so an idle server sends no statement more.
 */
final class NodeHeartbeat implements CommitNotifier.Heartbeat, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeHeartbeat.class);

  private final ServerNode node;
  private final MaintenanceConnections connections;
  private final DataSource pool;

  private volatile Optional<String> refusal = Optional.empty();
  private volatile long renewedNanos = System.nanoTime();

  // guarded by this
  private boolean failing;
  private boolean closed;

  /**
   * Renews the row of a registered server at each beat.
   *
   * @param connections whose settings the listening connection gets
   * @param pool to remove the row with: it fails within a second if the database does not answer
   */
  NodeHeartbeat(ServerNode node, MaintenanceConnections connections, DataSource pool) {
    this.node = node;
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
      node.register(connection);
      renewedNanos = System.nanoTime();
      refusal = Optional.empty();
      if (failing) {
        failing = false;
        LOG.info("this server renews its registration again");
      }
    } catch (SQLException e) {
      if (SqlState.of(e) == SqlState.CONNECTION_LOST) {
        throw e;
      }
      refusal = Optional.of(e).filter(NodeHeartbeat::isRefusal).map(NodeHeartbeat::text);
      if (!failing) {
        failing = true;
        LOG.warn(
            "this server cannot renew its registration, retries every 10 s: {}", e.getMessage());
      }
    }
  }

  private static boolean isRefusal(SQLException e) {
    return ServerNode.REFUSED.equals(e.getSQLState());
  }

  private static String text(SQLException e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("").replace("ERROR: ", "");
  }

  /** Why the database refused this server at the last beat, if it did. */
  Optional<String> refusal() {
    return refusal;
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
