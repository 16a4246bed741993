package dev.hapax.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.postgres.ServerNode.Registration;
import dev.hapax.postgres.ledger.DatabaseFence;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.schema.Installation;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
@Tag("long")
class NodeIT {
  private static final String TOO_OLD = "HX004";
  private static final String SERIALIZATION_FAILURE = "40001";
  private static final String REQUIRE = "SELECT hapax.require_feature(2)";
  private final TestDatabase database = TestDatabase.create();
  private final DatabaseFence fence = new DatabaseFence(0, 2);
  private final ServerNode older = new ServerNode(UUID.randomUUID(), "1.1.0", 1, 0);
  private final ServerNode newer = new ServerNode(UUID.randomUUID(), "1.2.0", 2, 0);

  @BeforeEach
  void migrate() throws SQLException {
    Migrations.migrate(database.dataSource());
    try (var connection = database.connect()) {
      var _ = Installation.secret(connection);
    }
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
      node.register(connection, Registration.NONE, Optional.empty());
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
        String.format(
            Locale.ROOT,
            "UPDATE hapax.node SET seen_at = clock_timestamp() - interval '%d s' WHERE id = '%s'",
            seconds,
            node.id()));
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
  @Tag("D22")
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
    register(new ServerNode(UUID.randomUUID(), "1.1.0", 1, 0));
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
  @DisplayName("given a registered server, when its row is old, then a beat renews it")
  void renewed() throws SQLException {
    register(newer);
    var started = database.query("SELECT started_at FROM hapax.node");
    try (var connection = database.connect()) {
      var heartbeat = heartbeat();
      try (heartbeat) {
        heartbeat.begin(connection);
        unseen(newer, 30);
        heartbeat.beat(connection);
        assertThat(
                database.query(
                    "SELECT seen_at > clock_timestamp() - interval '20 s' FROM hapax.node"))
            .isEqualTo("t");
        unseen(newer, 3_600);
        heartbeat.beat(connection);
        assertThat(nodes()).isEqualTo("1.2.0");
        assertThat(database.query("SELECT started_at FROM hapax.node")).isEqualTo(started);
      }
      heartbeat.beat(connection);
      assertThat(database.query("SELECT count(*) FROM hapax.node")).isEqualTo("0");
    }
  }

  @Test
  @DisplayName("given a stopped server that continues after a use, then its beat says the refusal")
  void refused() throws SQLException {
    try (var connection = database.connect();
        var heartbeat = heartbeat()) {
      heartbeat.begin(connection);
      assertThat(fence.refusal()).isEmpty();
      unseen(newer, 61);
      database.execute("SELECT hapax.require_feature(3)");
      heartbeat.beat(connection);
      assertThat(fence.refusal())
          .contains(
              "server version 1.2.0 knows features up to 2, but this database uses feature 3 of a newer"
                  + " version");

      database.execute("UPDATE hapax.required_feature SET feature = 2");
      heartbeat.beat(connection);
      assertThat(fence.refusal()).as("the server may have misread the database").isPresent();
    }
  }

  @Test
  @DisplayName("given a restore, then servers that started before are refused, and later ones not")
  void restored() throws SQLException {
    database.execute("INSERT INTO hapax.restoration (epoch, kind) VALUES (1, 'replacement')");
    try (var connection = database.connect();
        var heartbeat = heartbeat()) {
      heartbeat.begin(connection);
      assertThat(fence.refusal().orElseThrow())
          .startsWith("this database was restored at 2")
          .endsWith("Z, after the server had started; restart the server");
    }
    assertThat(nodes()).isEmpty();
    register(new ServerNode(UUID.randomUUID(), "1.3.0", 2, 1));
    assertThat(nodes()).isEqualTo("1.3.0");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          UPDATE hapax.installation SET system_identifier = 4711 | this is another database cluster
          UPDATE hapax.installation SET database_oid = 4711      | this is another database (
          UPDATE hapax.installation SET timeline = 4711          | this database is in an older state: its timeline is 1
          UPDATE hapax.node SET beats = 1                        | this database is in an older state: it has registration 1
          DELETE FROM hapax.node                                 | this database is in an older state: it has registration 0
          """)
  @DisplayName(
      "given a database that is not the one that servers worked on, then it refuses them [operators-M1]")
  void replaced(String replace, String reason) throws SQLException {
    try (var connection = database.connect();
        var heartbeat = heartbeat()) {
      heartbeat.begin(connection);
      heartbeat.beat(connection);
      assertThat(fence.refusal()).isEmpty();
      database.execute(replace);
      heartbeat.beat(connection);
      assertThat(fence.refusal().orElseThrow())
          .startsWith(reason)
          .endsWith("; stop all servers, then run `hapax doctor --after-restore`");
    }
    if (replace.contains("installation")) {
      assertFails(TOO_OLD, reason, () -> register(older));
    }
  }

  @Test
  @DisplayName(
      "given a promotion, then servers continue, and the timeline is stored [operators-M1]")
  void promoted() throws SQLException {
    register(newer);
    database.execute("UPDATE hapax.installation SET timeline = 0");
    register(newer);
    assertThat(database.query("SELECT timeline FROM hapax.installation")).isEqualTo("1");
    assertThat(fence.refusal()).isEmpty();
  }

  @Test
  @DisplayName(
      "given a provider that hides the identity, then servers start, and compare the rest [operators-M1]")
  void hidden() throws SQLException {
    database.execute(
        """
        CREATE OR REPLACE FUNCTION hapax.database_identity(OUT system_identifier bigint, OUT database_oid oid,
          OUT timeline integer) LANGUAGE sql AS
          $$ SELECT NULL::bigint, (SELECT oid FROM pg_database WHERE datname = current_database()), NULL::integer $$
        """);
    register(newer);
    database.execute("UPDATE hapax.installation SET database_oid = 4711");
    assertFails(TOO_OLD, "this is another database (", () -> register(newer));
  }

  @Test
  @DisplayName("given a beat that fails, then the next one renews the row")
  void failure() throws SQLException {
    database.execute(
        """
        CREATE FUNCTION hapax.fail() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION 'broken';
        END $$;
        CREATE TRIGGER fail BEFORE INSERT ON hapax.node
          FOR EACH ROW EXECUTE FUNCTION hapax.fail();
        """);
    try (var connection = database.connect();
        var heartbeat = heartbeat()) {
      heartbeat.begin(connection);
      heartbeat.beat(connection);
      assertThat(nodes()).isEmpty();
      database.execute("DROP TRIGGER fail ON hapax.node");
      heartbeat.beat(connection);
      assertThat(nodes()).isEqualTo("1.2.0");

      database.execute(
          "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
              + " WHERE datname = current_database() AND query LIKE '%register_node%'"
              + " AND pid <> pg_backend_pid()");
      assertThatThrownBy(() -> heartbeat.beat(connection)).isInstanceOf(SQLException.class);
    }
  }

  private NodeHeartbeat heartbeat() {
    var connections = new MaintenanceConnections(database.dataSource(), SessionRoles.SEPARATED);
    return new NodeHeartbeat(newer, Registration.NONE, fence, connections, database.dataSource());
  }

  @Test
  @DisplayName("given other roles, then they may not call the functions")
  void rights() throws SQLException {
    try (var connection = database.connect()) {
      run(connection, SessionRoles.SEPARATED.beginRuntime());
      assertFails(
          "42501",
          "permission denied",
          () -> newer.register(connection, Registration.NONE, Optional.empty()));
      assertFails("42501", "permission denied", () -> run(connection, REQUIRE));
    }
  }
}
