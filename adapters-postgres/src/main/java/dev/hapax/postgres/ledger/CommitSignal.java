package dev.hapax.postgres.ledger;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the nodes of one database that something was committed: one NOTIFY for many commits, and
 * never in their transactions, where it takes a lock of the whole database. Sends nothing when
 * nothing is committed.
 */
public final class CommitSignal implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CommitSignal.class);
  private static final Duration COALESCE = Duration.ofMillis(50);
  private static final Duration RECONNECT = Duration.ofMillis(500);

  /** Between the node and, by its own clock, when it sent the notification. */
  private static final String SEPARATOR = " ";

  /** The driver waits for the socket in this time; nothing is sent. */
  private static final int LISTEN_MILLIS = 10_000;

  private final DataSource pool;
  private final DataSource direct;
  private final String node = UUID.randomUUID().toString();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final ScheduledExecutorService threads =
      Executors.newScheduledThreadPool(
          2, Thread.ofPlatform().daemon().name("commit-signal-", 0).factory());
  private volatile boolean closed;
  private volatile LongConsumer arrived = _ -> {};

  /**
   * Begins to listen.
   *
   * @param pool to send with
   * @param direct makes the connection to listen on, which is kept
   */
  public CommitSignal(DataSource pool, DataSource direct) {
    this.pool = pool;
    this.direct = direct;
    threads.execute(this::listen);
  }

  /** Has this measured: nanoseconds from sending a notification to its arrival on this node. */
  public void onArrival(LongConsumer nanos) {
    arrived = nanos;
  }

  void onForeignCommit(Runnable listener) {
    listeners.add(listener);
  }

  /** Something was committed here. */
  void committed() {
    if (!closed && scheduled.compareAndSet(false, true)) {
      try {
        var _ = threads.schedule(this::send, COALESCE.toMillis(), TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException _) {
        // closed just now: other nodes find out by themselves
      }
    }
  }

  private void send() {
    scheduled.set(false);
    try (var connection = pool.getConnection();
        var notify = connection.prepareStatement("SELECT pg_notify('hapax', ?)")) {
      notify.setString(1, node + SEPARATOR + System.nanoTime());
      notify.execute();
    } catch (SQLException e) {
      LOG.debug("other nodes were not told of a commit: {}", e.getMessage());
    }
  }

  private void listen() {
    try (var connection = direct.getConnection();
        var listen = connection.createStatement()) {
      listen.execute("LISTEN hapax");
      // nobody listened until now: anything may have been missed
      heard();
      while (!closed) {
        var isForeign = false;
        for (var notification :
            connection.unwrap(PGConnection.class).getNotifications(LISTEN_MILLIS)) {
          var sender = notification.getParameter();
          if (sender.startsWith(node)) {
            arrived.accept(System.nanoTime() - sentNanos(sender));
          } else {
            isForeign = true;
          }
        }
        if (isForeign) {
          heard();
        }
      }
    } catch (SQLException e) {
      if (!closed) {
        LOG.debug("not listening to other nodes: {}", e.getMessage());
        var _ = threads.schedule(this::listen, RECONNECT.toMillis(), TimeUnit.MILLISECONDS);
      }
    }
  }

  private long sentNanos(String own) {
    return Long.parseLong(own.substring(node.length() + SEPARATOR.length()));
  }

  private void heard() {
    for (var listener : listeners) {
      try {
        listener.run();
      } catch (RuntimeException e) {
        LOG.error("a listener to other nodes' commits failed", e);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    threads.shutdownNow();
  }
}
