package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.await;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.postgresql.PGConnection;
import org.slf4j.LoggerFactory;

/** Other nodes are notified of a commit, even if connections fail. The log is of the process. */
@Isolated
@Tag("fault")
@Tag("long")
class CommitNotifierIT {
  private static final Duration OFTEN = Duration.ofMillis(100);

  /** Longer than the time between two notifications. */
  private static final Duration BEAT = Duration.ofMillis(300);

  private static TestDatabase database;
  private final Logger logger = (Logger) LoggerFactory.getLogger(CommitNotifier.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeAll
  static void start() {
    database = TestDatabase.create();
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  @BeforeEach
  void listenToTheLog() {
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void leaveTheLog() {
    logger.detachAppender(log);
  }

  private List<String> warnings() {
    return List.copyOf(log.list).stream()
        .filter(event -> event.getLevel() == Level.WARN)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  /** The backend that listens; null = none does. */
  private static String listening() {
    return database.query(
        "SELECT max(pid) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND query IN ('LISTEN hapax', 'SELECT 1')");
  }

  @Test
  @DisplayName(
      "given the pool is busy, when it is free again, then the commit is signalled after all")
  void notSent() throws SQLException {
    try (var listener = database.connect();
        var listen = listener.createStatement();
        var pool = new HikariDataSource()) {
      listen.execute("LISTEN hapax");
      pool.setDataSource(database.dataSource());
      pool.setMaximumPoolSize(1);
      pool.setConnectionTimeout(250);
      var notifications = listener.unwrap(PGConnection.class);
      try (var signal = new CommitNotifier(pool, database.dataSource())) {
        try (var _ = pool.getConnection()) {
          signal.committed();
          await("it was tried", () -> !warnings().isEmpty());
          assertThat(notifications.getNotifications()).isEmpty();
        }
        assertThat(notifications.getNotifications(30_000)).hasSize(1);
      }
      assertThat(warnings()).hasSize(1).allMatch(line -> line.contains("cannot notify"));
    }
  }

  @Test
  @DisplayName("given a commit just before the end of a server, then it is signalled")
  void closed() throws SQLException {
    try (var listener = database.connect();
        var listen = listener.createStatement()) {
      listen.execute("LISTEN hapax");
      try (var signal = new CommitNotifier(database.dataSource(), database.dataSource())) {
        signal.committed();
      }
      assertThat(listener.unwrap(PGConnection.class).getNotifications(30_000)).isNotEmpty();
    }
  }

  @Test
  @DisplayName(
      "given the connection that listens falls silent, then it is replaced, and commits are received")
  void silenced() {
    try (var proxy = new PostgresProxy(database.url());
        var there =
            new CommitNotifier(
                database.dataSource(), proxy.dataSource(), CommitNotifier.Heartbeat.PROBE, OFTEN)) {
      var notifications = new AtomicInteger();
      there.onRemoteCommit(notifications::incrementAndGet);
      await("it listens", () -> !listening().equals("null"));
      proxy.drop(Integer.parseInt(listening()));
      try (var here = new CommitNotifier(database.dataSource(), database.dataSource())) {
        await("it has found out", () -> !warnings().isEmpty());
        notifications.set(0);
        await(
            "it listens again",
            () -> {
              here.committed();
              return notifications.get() > 0;
            });
        notifications.set(0);
        here.committed();
        await("the commit arrives", () -> notifications.get() > 0);
      }
      assertThat(warnings()).hasSize(1).allMatch(line -> line.contains("cannot receive"));
    }
  }

  @Test
  @DisplayName(
      "given junk on the channel and a listener that throws, then the node listens, and its"
          + " heartbeat goes on [security-M1]")
  void junk() throws SQLException {
    var beats = new AtomicInteger();
    var commits = new AtomicInteger();
    try (var foreign = database.connect();
        var statement = foreign.createStatement();
        var there =
            new CommitNotifier(
                database.dataSource(), database.dataSource(), new CountedBeats(beats), OFTEN)) {
      statement.execute("LISTEN hapax");
      there.onRemoteCommit(
          () -> {
            throw new AssertionError("thrown by a listener");
          });
      there.onRemoteCommit(commits::incrementAndGet);
      await("it listens", () -> commits.get() > 0);
      there.committed();
      var own = foreign.unwrap(PGConnection.class).getNotifications(30_000)[0].getParameter();
      var node = own.substring(0, own.indexOf(' '));
      for (var junk :
          List.of(
              "",
              " ",
              node,
              node + " ",
              node + " x",
              node + " 99999999999999999999",
              "y".repeat(7_999))) {
        commits.set(0);
        statement.execute("SELECT pg_notify('hapax', '" + junk + "')");
        await("it takes the junk for a commit", () -> commits.get() > 0);
      }
      beats.set(0);
      await("its heartbeat goes on", () -> beats.get() > 1);
      there.onArrival(
          _ -> {
            throw new AssertionError("thrown by an observer");
          });
      there.committed();
      await("it reports the failure", () -> !warnings().isEmpty());
      commits.set(0);
      await("it listens again", () -> commits.get() > 0);
      assertThat(warnings()).hasSize(1).allMatch(line -> line.contains("thrown by an observer"));
    }
    await("its session has ended", () -> listening().equals("null"));
  }

  /** Counts the beats. */
  private record CountedBeats(AtomicInteger number) implements CommitNotifier.Heartbeat {
    @Override
    public void begin(Connection connection) {
      // counts beats alone
    }

    @Override
    public void beat(Connection connection) {
      number.incrementAndGet();
    }
  }

  @Test
  @DisplayName("given notifications without a pause, then the heartbeat goes on")
  void busy() {
    var beats = new CountedBeats(new AtomicInteger());
    try (var here = new CommitNotifier(database.dataSource(), database.dataSource());
        var there = new CommitNotifier(database.dataSource(), database.dataSource(), beats, BEAT)) {
      var notifications = new AtomicInteger();
      there.onRemoteCommit(
          () -> {
            notifications.incrementAndGet();
            here.committed();
          });
      await(
          "beats and notifications",
          () -> {
            here.committed();
            return beats.number().get() >= 3 && notifications.get() >= 10;
          });
    }
  }
}
