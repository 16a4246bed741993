package dev.hapax.postgres.node;

import dev.hapax.postgres.read.WideReads;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the row of this server every ten seconds, or inserts it again if it has gone. A stop
 * removes the row; that of a killed server counts for 60 s.
 */
public final class NodeHeartbeat implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeHeartbeat.class);
  private static final Duration PERIOD = Duration.ofSeconds(10);

  /** Longer than any timeout of a statement or a connection. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  /** The row may stay: a stop does not wait for a database that does not answer. */
  private static final Duration MAX_WAIT_AT_STOP = Duration.ofSeconds(2);

  private final ServerNode node;
  private final WideReads connections;
  private final Duration period;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("node-heartbeat").factory());
  private boolean failing;

  private interface Work {
    void on(Connection connection) throws SQLException;
  }

  /** Begins to renew the row of a registered server. */
  public NodeHeartbeat(ServerNode node, WideReads connections) {
    this(node, connections, PERIOD);
  }

  NodeHeartbeat(ServerNode node, WideReads connections, Duration period) {
    this.node = node;
    this.connections = connections;
    this.period = period;
    var _ =
        thread.scheduleWithFixedDelay(
            this::renew, period.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Logs the first of several failures, and never throws, since that would end the heartbeat. */
  private void renew() {
    try {
      run(node::register, MAX_WAIT);
      if (failing) {
        failing = false;
        LOG.info("this server renews its registration again");
      }
    } catch (RuntimeException e) {
      if (!failing && !thread.isShutdown()) {
        failing = true;
        LOG.warn(
            "this server cannot renew its registration, retries every {} s: {}",
            period.toSeconds(),
            reason(e));
      }
    }
  }

  private void run(Work work, Duration maxWait) {
    connections
        .submit(
            session -> {
              work.on(session.connection());
              return true;
            })
        .orTimeout(maxWait.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  private static String reason(Throwable failure) {
    var cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.getCause() instanceof SQLException said
        ? "%s: %s".formatted(cause.getMessage(), said.getMessage())
        : cause.toString();
  }

  /** Stops the heartbeat and removes the row, after work of this server has ended. */
  @Override
  public void close() {
    thread.shutdownNow();
    try {
      // the connection is the heartbeat's, so a renewal that was sent comes before
      run(node::remove, MAX_WAIT_AT_STOP);
    } catch (RuntimeException e) {
      LOG.info("the registration of this server stays for 60 s: {}", reason(e));
    }
  }
}
