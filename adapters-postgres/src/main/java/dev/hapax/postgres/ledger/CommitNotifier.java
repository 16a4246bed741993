package dev.hapax.postgres.ledger;

import dev.hapax.domain.monitoring.Loop;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the nodes of one database of commits: one NOTIFY for many commits, outside of their
 * transactions, where it would lock the whole database. An idle node sends nothing.
 */
public final class CommitNotifier implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CommitNotifier.class);
  private static final Duration COALESCE = Duration.ofMillis(50);
  private static final Duration RETRY = Duration.ofMillis(500);

  /** Between two rounds of the listeners: every role of the database may send notifications. */
  private static final Duration REST = Duration.ofMillis(50);

  /** A silent connection may be dead: firewalls drop idle ones without an error. */
  private static final Duration BEAT = Duration.ofSeconds(10);

  /** The timeout of a statement on the listening connection. */
  private static final int ANSWER_MILLIS = 5_000;

  /** Separates the node's id from the time of sending by its own clock. */
  private static final String SEPARATOR = " ";

  private final DataSource pool;
  private final DataSource direct;
  private final Heartbeat heartbeat;
  private final long beatNanos;
  private final Loop loop;
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

  /** Statements on the listening connection, which show that it is alive. */
  public interface Heartbeat {
    /** Only probes the connection. */
    Heartbeat PROBE =
        new Heartbeat() {
          @Override
          public void begin(Connection connection) {
            // its session needs nothing
          }

          @Override
          public void beat(Connection connection) throws SQLException {
            try (var statement = connection.createStatement()) {
              statement.execute("SELECT 1");
            }
          }
        };

    /** Prepares a new session. */
    void begin(Connection connection) throws SQLException;

    /** Runs every ten seconds; throws if the connection is lost. */
    void beat(Connection connection) throws SQLException;
  }

  /** Begins to listen, and only probes the connection. */
  public CommitNotifier(DataSource pool, DataSource direct) {
    this(pool, direct, Heartbeat.PROBE);
  }

  /**
   * Begins to listen.
   *
   * @param pool to send with
   * @param direct makes the connection to listen on, which is kept
   */
  public CommitNotifier(DataSource pool, DataSource direct, Heartbeat heartbeat) {
    this(pool, direct, heartbeat, BEAT);
  }

  /**
   * Begins to listen.
   *
   * @param every the time between two beats of the heartbeat
   */
  CommitNotifier(DataSource pool, DataSource direct, Heartbeat heartbeat, Duration every) {
    this.pool = pool;
    this.direct = direct;
    this.heartbeat = heartbeat;
    this.beatNanos = every.toNanos();
    this.loop = new Loop("notifications", every, System::nanoTime);
    threads.execute(this::listen);
  }

  /** Reports the nanoseconds from sending a notification to its arrival on this node. */
  public void onArrival(LongConsumer nanos) {
    arrived = nanos;
  }

  public Loop loop() {
    return loop;
  }

  void onRemoteCommit(Runnable listener) {
    listeners.add(listener);
  }

  /** This node has committed a batch. */
  void committed() {
    sendAfter(COALESCE);
  }

  private void sendAfter(Duration time) {
    if (!closed && scheduled.compareAndSet(false, true)) {
      try {
        var _ = threads.schedule(this::send, time.toMillis(), TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException _) {
        // closed meanwhile, which has sent it
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
    } catch (SQLException | RuntimeException | Error e) {
      sending.fails(e);
      sendAfter(RETRY);
    }
  }

  private void listen() {
    try (var connection = direct.getConnection();
        var statement = connection.createStatement()) {
      connection.setNetworkTimeout(Runnable::run, ANSWER_MILLIS);
      statement.execute("LISTEN hapax");
      heartbeat.begin(connection);
      listening.works();
      // no connection listened until now: notifications may have been missed
      notifyListeners();
      var notifications = connection.unwrap(PGConnection.class);
      var lastNanos = System.nanoTime();
      while (!closed) {
        var untilBeat = lastNanos + beatNanos - System.nanoTime();
        if (untilBeat > 0) {
          receive(notifications.getNotifications(millis(untilBeat)));
        } else {
          heartbeat.beat(connection);
          loop.ended(true);
          lastNanos = System.nanoTime();
        }
      }
    } catch (SQLException | RuntimeException | Error e) {
      // whatever is thrown, the server must listen and renew its registration again
      loop.ended(false);
      if (!closed) {
        listening.fails(e);
        listenAgain();
      }
    }
  }

  private void listenAgain() {
    try {
      var _ = threads.schedule(this::listen, RETRY.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException _) {
      // closed meanwhile
    }
  }

  /** Rounds up: 0 would wait without end. */
  private static int millis(long nanos) {
    return Math.toIntExact(TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
  }

  private void receive(PGNotification[] received) {
    var isForeign = false;
    for (var notification : received) {
      var sent = sentNanos(notification.getParameter());
      if (sent.isPresent()) {
        arrived.accept(System.nanoTime() - sent.getAsLong());
      } else {
        isForeign = true;
      }
    }
    if (isForeign) {
      notifyListeners();
      LockSupport.parkNanos(REST.toNanos());
    }
  }

  /** The time in a payload of this node; any role may send any text on the channel. */
  private OptionalLong sentNanos(String payload) {
    var prefix = node + SEPARATOR;
    if (!payload.startsWith(prefix)) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseLong(payload.substring(prefix.length())));
    } catch (NumberFormatException _) {
      return OptionalLong.empty();
    }
  }

  private void notifyListeners() {
    for (var listener : listeners) {
      try {
        listener.run();
      } catch (RuntimeException | Error e) {
        LOG.error("a listener to other nodes' commits failed", e);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    if (scheduled.get()) {
      // calls that wait on other nodes for the last commits would wait to their ends
      send();
    }
    threads.shutdownNow();
  }

  /** Logs the first failure of a connection, and its recovery. */
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

    void fails(Throwable cause) {
      if (failing.compareAndSet(false, true)) {
        LOG.warn(
            "this server cannot {}, retries every {} ms: {}",
            purpose,
            RETRY.toMillis(),
            cause instanceof SQLException ? cause.getMessage() : cause.toString());
      }
    }
  }
}
