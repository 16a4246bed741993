package dev.hapax.postgres.ledger;

import java.sql.SQLException;
import java.sql.Statement;
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
import org.postgresql.PGNotification;
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
  private static final Duration RETRY = Duration.ofMillis(500);

  /** After so long without a notification the connection that listens is asked for an answer. */
  private static final Duration PROBE = Duration.ofSeconds(10);

  /** How long it may take to answer. */
  private static final int ANSWER_MILLIS = 5_000;

  /** Between the node and, by its own clock, when it sent the notification. */
  private static final String SEPARATOR = " ";

  private final DataSource pool;
  private final DataSource direct;
  private final int probeMillis;
  private final String node = UUID.randomUUID().toString();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final ScheduledExecutorService threads =
      Executors.newScheduledThreadPool(
          2, Thread.ofPlatform().daemon().name("commit-signal-", 0).factory());
  private final Link sending = new Link("notify other nodes of commits");
  private final Link listening = new Link("receive notifications of other nodes");
  private volatile boolean closed;
  private volatile LongConsumer arrived = _ -> {};

  /**
   * Begins to listen.
   *
   * @param pool to send with
   * @param direct makes the connection to listen on, which is kept
   */
  public CommitSignal(DataSource pool, DataSource direct) {
    this(pool, direct, PROBE);
  }

  /**
   * Begins to listen.
   *
   * @param probe after so long without a notification the connection that listens has to answer
   */
  CommitSignal(DataSource pool, DataSource direct, Duration probe) {
    this.pool = pool;
    this.direct = direct;
    this.probeMillis = Math.toIntExact(probe.toMillis());
    threads.execute(this::listen);
  }

  /** Has this measured: nanoseconds from sending a notification to its arrival on this node. */
  public void onArrival(LongConsumer nanos) {
    arrived = nanos;
  }

  void onRemoteCommit(Runnable listener) {
    listeners.add(listener);
  }

  /** Something was committed here. */
  void committed() {
    sendAfter(COALESCE);
  }

  private void sendAfter(Duration time) {
    if (!closed && scheduled.compareAndSet(false, true)) {
      try {
        var _ = threads.schedule(this::send, time.toMillis(), TimeUnit.MILLISECONDS);
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
      sending.works();
    } catch (SQLException e) {
      sending.fails(e);
      sendAfter(RETRY);
    }
  }

  private void listen() {
    try (var connection = direct.getConnection();
        var statement = connection.createStatement()) {
      connection.setNetworkTimeout(Runnable::run, ANSWER_MILLIS);
      statement.execute("LISTEN hapax");
      listening.works();
      // nobody listened until now: anything may have been missed
      heard();
      var notifications = connection.unwrap(PGConnection.class);
      while (!closed) {
        receive(notifications.getNotifications(probeMillis), statement);
      }
    } catch (SQLException e) {
      if (!closed) {
        listening.fails(e);
        var _ = threads.schedule(this::listen, RETRY.toMillis(), TimeUnit.MILLISECONDS);
      }
    }
  }

  /** A connection that is silent may be dead: firewalls drop idle ones without a word. */
  private void receive(PGNotification[] received, Statement statement) throws SQLException {
    if (received.length == 0 && !closed) {
      statement.execute("SELECT 1");
    }
    var isForeign = false;
    for (var notification : received) {
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

  /** Logs once that something fails, and once that it works again. */
  private static final class Link {
    private final String purpose;
    private final AtomicBoolean failing = new AtomicBoolean();

    Link(String purpose) {
      this.purpose = purpose;
    }

    void works() {
      if (failing.compareAndSet(true, false)) {
        LOG.info("this server can {} again", purpose);
      }
    }

    void fails(SQLException cause) {
      if (failing.compareAndSet(false, true)) {
        LOG.warn(
            "this server cannot {}, retries every {} ms: {}",
            purpose,
            RETRY.toMillis(),
            cause.getMessage());
      }
    }
  }
}
