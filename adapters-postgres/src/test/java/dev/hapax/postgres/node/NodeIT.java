package dev.hapax.postgres.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.postgres.read.ReadConnections;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.WideReads;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NodeIT {
  private static final Duration OFTEN = Duration.ofMillis(20);
  private static final String TOO_OLD = "HX004";
  private static final String SERIALIZATION_FAILURE = "40001";
  private static final String REQUIRE = "SELECT hapax.require_feature(2)";
  private final TestDatabase database = TestDatabase.create();
  private final ServerNode older = new ServerNode(UUID.randomUUID(), "1.1.0", 1);
  private final ServerNode newer = new ServerNode(UUID.randomUUID(), "1.2.0", 2);

  @BeforeEach
  void migrate() {
    Migrations.migrate(database.dataSource());
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void register(ServerNode node) throws SQLException {
    try (var connection = database.connect();
        var statement = connection.createStatement()) {
      // as a server does, which owns no table
      statement.execute(SessionRoles.SEPARATED.beginMaintenance());
      node.register(connection);
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void requireFeature() throws SQLException {
    try (var connection = database.connect()) {
      run(connection, REQUIRE);
    }
  }

  private Connection transaction(int isolation) throws SQLException {
    var connection = database.connect();
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(isolation);
    return connection;
  }

  private static void assertFails(String state, String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .hasMessageContaining(message)
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(state));
  }

  private void unseen(ServerNode node, int seconds) {
    database.execute(
        "UPDATE hapax.node SET seen_at = clock_timestamp() - interval '%d s' WHERE id = '%s'"
            .formatted(seconds, node.id()));
  }

  private String nodes() {
    return database.query(
        "SELECT coalesce(string_agg(version, ' ' ORDER BY version), '') FROM hapax.live_node");
  }

  private static void await(String what, BooleanSupplier condition) {
    var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("never: " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private boolean isWaiting(String query) {
    return "t"
        .equals(
            database.query(
                "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND wait_event_type = 'Lock' AND query LIKE '%"
                    + query
                    + "%'"));
  }

  @Test
  @DisplayName("given a live server without a feature, then the feature is refused until it stops")
  void olderServer() throws SQLException {
    register(older);
    register(newer);
    assertFails(TOO_OLD, "of version 1.1.0 does not know feature 2", this::requireFeature);
    unseen(older, 50);
    assertFails(TOO_OLD, older.id().toString(), this::requireFeature);

    try (var connection = database.connect()) {
      older.remove(connection);
    }
    requireFeature();
    assertThat(nodes()).isEqualTo("1.2.0");
  }

  @Test
  @DisplayName("given a server that was not seen for 60 s, then it does not count")
  void staleServer() throws SQLException {
    register(older);
    register(newer);
    unseen(older, 61);

    assertThat(nodes()).isEqualTo("1.2.0");
    requireFeature();
  }

  @Test
  @DisplayName("given a refused use, then older servers still start; after a use they do not")
  void older() throws SQLException {
    register(older);
    assertFails(TOO_OLD, "1.1.0", this::requireFeature);
    register(new ServerNode(UUID.randomUUID(), "1.1.0", 1));
    assertThat(nodes()).isEqualTo("1.1.0 1.1.0");

    database.execute("DELETE FROM hapax.node");
    requireFeature();
    assertFails(TOO_OLD, "server version 1.1.0 knows features up to 1", () -> register(older));
    assertThatCode(() -> register(newer)).doesNotThrowAnyException();
    requireFeature();
  }

  @Test
  @DisplayName("given a stopped server, when it continues after a use, then it is refused")
  void stoppedServer() throws SQLException {
    register(older);
    unseen(older, 61);
    requireFeature();

    assertFails(TOO_OLD, "this database uses feature 2", () -> register(older));
  }

  @Test
  @DisplayName("given a first use that is not committed, then an older server waits for it")
  void startDuringTheFirstUse() throws Exception {
    try (var caller = transaction(Connection.TRANSACTION_READ_COMMITTED)) {
      run(caller, REQUIRE);
      var start =
          CompletableFuture.runAsync(
              () -> {
                try {
                  register(older);
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      await("the server waits", () -> isWaiting("register_node"));
      caller.commit();

      assertThatThrownBy(start::join).hasMessageContaining("this database uses feature 2");
    }
    assertThat(nodes()).isEmpty();
  }

  @Test
  @DisplayName("given an older server that started after a snapshot, then the use fails")
  void oldSnapshot() throws SQLException {
    try (var caller = transaction(Connection.TRANSACTION_REPEATABLE_READ)) {
      run(caller, "SELECT count(*) FROM hapax.node");
      register(older);

      assertFails(SERIALIZATION_FAILURE, "concurrent update", () -> run(caller, REQUIRE));
    }
  }

  @Test
  @DisplayName("given a registered server, when its row has gone, then it is inserted again")
  void heartbeat() throws SQLException {
    register(newer);
    var started = database.query("SELECT started_at FROM hapax.node");
    try (var pool = pool();
        var reads = new ReadExecutor(pool, 1)) {
      try (var _ = new NodeHeartbeat(newer, new WideReads(reads), OFTEN)) {
        unseen(newer, 30);
        await(
            "renewed",
            () ->
                database
                    .query("SELECT seen_at > now() - interval '20 s' FROM hapax.node")
                    .equals("t"));
        assertThat(database.query("SELECT started_at FROM hapax.node")).isEqualTo(started);

        unseen(newer, 3_600);
        await("counts again", () -> nodes().equals("1.2.0"));

        database.execute("DELETE FROM hapax.node");
        await("registered again", () -> nodes().equals("1.2.0"));
      }
      assertThat(database.query("SELECT count(*) FROM hapax.node")).isEqualTo("0");
    }
  }

  @Test
  @DisplayName("given heartbeats that fail, when the cause has gone, then they renew the row again")
  void failures() throws SQLException {
    register(newer);
    unseen(newer, 61);
    database.execute(
        """
        CREATE SEQUENCE hapax.failures;
        CREATE FUNCTION hapax.fail() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM nextval('hapax.failures');
          RAISE EXCEPTION 'broken';
        END $$;
        CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON hapax.node
          FOR EACH ROW EXECUTE FUNCTION hapax.fail();
        """);
    try (var pool = pool();
        var reads = new ReadExecutor(pool, 1);
        var _ = new NodeHeartbeat(newer, new WideReads(reads), OFTEN)) {
      await(
          "failures",
          () -> Integer.parseInt(database.query("SELECT last_value FROM hapax.failures")) >= 3);
      assertThat(nodes()).isEmpty();
      database.execute("DROP TRIGGER fail ON hapax.node");

      await("renewed", () -> nodes().equals("1.2.0"));
    }
  }

  private HikariDataSource pool() {
    var address = new HikariConfig();
    address.setDataSource(database.dataSource());
    return ReadConnections.pool("node", address, 1, SessionRoles.SEPARATED.beginMaintenance());
  }

  @Test
  @DisplayName("given other roles, then they may not call the functions")
  void rights() throws SQLException {
    try (var connection = database.connect()) {
      run(connection, SessionRoles.SEPARATED.beginRuntime());
      assertFails("42501", "permission denied", () -> newer.register(connection));
      assertFails("42501", "permission denied", () -> run(connection, REQUIRE));
    }
  }
}
