package dev.hapax.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.operation.ResultPartitions;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

@Tag("A6")
@Tag("long")
class RowLevelSecurityIT {
  private static final String DENIED = "42501";
  private static final String RESULTS = "hapax.operation_result";
  private final TestDatabase database = TestDatabase.create();

  @AfterEach
  void close() {
    database.close();
  }

  private Connection as(String begin) throws SQLException {
    var connection = database.connect();
    try (var statement = connection.createStatement()) {
      statement.execute(begin);
    }
    return connection;
  }

  private static List<String> query(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      var found = new ArrayList<String>();
      while (rows.next()) {
        found.add(rows.getString(1));
      }
      return found;
    }
  }

  private static void assertDenied(Connection connection, String sql) {
    assertThatThrownBy(
            () -> {
              try (var statement = connection.createStatement()) {
                statement.execute(sql);
              }
            })
        .as(sql)
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).as(sql).isEqualTo(DENIED));
  }

  private void insertDefinitions() {
    database.execute(
        "INSERT INTO hapax.definition (workspace, name, version, registered_at, steps, registered_by, reason)"
            + " SELECT w, 'd', '1', now(), '[]', '', '' FROM unnest(ARRAY['a', 'b', 'c']) w");
  }

  @ParameterizedTest
  @ValueSource(strings = {"SELECT", SchemaRulesIT.WALLS_OF_NODES})
  @DisplayName(
      "given three workspaces, then a session finds and writes rows of its scope alone, on one node"
          + " or several")
  void scope(String walls) throws SQLException {
    Migrations.migrate(database.dataSource());
    database.execute(walls);
    insertDefinitions();
    var all = "SELECT workspace FROM hapax.definition ORDER BY 1";
    try (var runtime = as(SessionRoles.SEPARATED.beginRuntime())) {
      assertThat(query(runtime, all)).as("no scope").isEmpty();
      query(runtime, "SELECT set_config('hapax.scope', 'a,c', false)");
      assertThat(query(runtime, all)).containsExactly("a", "c");
      assertDenied(
          runtime,
          "INSERT INTO hapax.definition (workspace, name, version, registered_at, steps, registered_by, reason)"
              + " VALUES ('b', 'e', '1', now(), '[]', '', '')");
      query(runtime, "SELECT set_config('hapax.scope', '', false)");
      assertThat(query(runtime, all)).as("an empty scope").isEmpty();
    }
    try (var maintenance = as(SessionRoles.SEPARATED.beginMaintenance())) {
      assertThat(query(maintenance, all)).containsExactly("a", "b", "c");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE hapax.operation DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE hapax.operation ADD COLUMN leak text",
        "DROP POLICY workspaces_in_scope ON hapax.operation",
        "CREATE POLICY leak ON hapax.operation USING (true)",
        "DROP TABLE hapax.operation",
        "TRUNCATE hapax.operation",
        "CREATE TABLE hapax.leak (id int)",
        "CREATE ROLE leak",
        "SELECT rolpassword FROM pg_authid",
        "COPY hapax.operation TO PROGRAM 'cat'",
        "SELECT pg_read_file('PG_VERSION')",
        "UPDATE hapax.flyway_schema_history SET success = false",
        "UPDATE hapax.installation SET secret = secret"
      })
  @DisplayName(
      "given a role of the server, then it cannot change the schema or read what it must not")
  void roles(String sql) throws SQLException {
    Migrations.migrate(database.dataSource());
    for (var begin :
        List.of(SessionRoles.SEPARATED.beginRuntime(), SessionRoles.SEPARATED.beginMaintenance())) {
      try (var session = as(begin)) {
        assertDenied(session, sql);
      }
    }
  }

  @Test
  @DisplayName("given the runtime role, then it neither removes histories nor manages partitions")
  void runtime() throws SQLException {
    Migrations.migrate(database.dataSource());
    try (var runtime = as(SessionRoles.SEPARATED.beginRuntime())) {
      for (var history : List.of("run_event", "entity_event", "definition", "lifecycle_version")) {
        assertDenied(runtime, "DELETE FROM hapax." + history);
        assertDenied(runtime, "UPDATE hapax.%s SET workspace = workspace".formatted(history));
      }
      assertDenied(runtime, "SELECT hapax.create_result_partition(current_date)");
      assertDenied(runtime, "SELECT hapax.drop_result_partition(current_date - 1)");
    }
  }

  @Test
  @DisplayName(
      "given grants that the runtime role must not have, when migrated, then it reads no API keys")
  void apiKeys() throws SQLException {
    Migrations.migrate(database.dataSource());
    database.execute(
        "DO $$ BEGIN EXECUTE format('GRANT SELECT ON hapax.api_key, hapax.api_key_revision,"
            + " hapax.api_key_use TO %I', hapax.role_name('runtime')); END $$");
    Migrations.migrateAndGrant(database.dataSource());
    try (var runtime = as(SessionRoles.SEPARATED.beginRuntime())) {
      for (var table : List.of("api_key", "api_key_revision", "api_key_use")) {
        assertDenied(runtime, "SELECT * FROM hapax." + table);
        assertDenied(runtime, "DELETE FROM hapax." + table);
      }
    }
    try (var maintenance = as(SessionRoles.SEPARATED.beginMaintenance())) {
      assertThat(query(maintenance, "SELECT secret_hash FROM hapax.api_key")).isEmpty();
      assertThat(query(maintenance, "SELECT revision FROM hapax.api_key_revision")).hasSize(1);
      for (var change :
          List.of(
              "INSERT INTO hapax.api_key SELECT * FROM hapax.api_key",
              "UPDATE hapax.api_key SET grants = '{}'",
              "UPDATE hapax.api_key_revision SET revision = 0",
              "DELETE FROM hapax.api_key")) {
        assertDenied(maintenance, change);
      }
    }
  }

  @Test
  @DisplayName(
      "given every table with a workspace, then it has both policies, and both roles may read it")
  void everyTable() throws SQLException {
    Migrations.migrate(database.dataSource());
    try (var connection = database.connect()) {
      assertThat(
              query(
                  connection,
                  """
                  SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
                  WHERE c.relnamespace = 'hapax'::regnamespace AND c.relkind IN ('r', 'p')
                    AND NOT c.relispartition AND a.attname = 'workspace' AND NOT (c.relrowsecurity
                      AND (SELECT count(*) FROM pg_policy p WHERE p.polrelid = c.oid
                        AND p.polname IN ('workspaces_in_scope', 'all_workspaces')) = 2
                      AND has_table_privilege(hapax.role_name('runtime'), c.oid, 'SELECT, INSERT')
                      AND has_table_privilege(hapax.role_name('maintenance'), c.oid, 'SELECT'))"""))
          .isEmpty();
    }
  }

  @Test
  @DisplayName("given a partition that is created later, then no role reads it around its parent")
  void partitions() throws SQLException {
    Migrations.migrate(database.dataSource());
    var connections = new MaintenanceConnections(database.dataSource(), SessionRoles.SEPARATED);
    try (var partitions = new ResultPartitions(connections)) {
      partitions.maintain();
      assertThat(partitions.daysAhead()).isPositive();
    }
    var partition =
        database.query(
            "SELECT max(inhrelid::regclass::text) FROM pg_inherits WHERE inhparent = '%s'::regclass"
                .formatted(RESULTS));
    database.execute(
        """
        INSERT INTO %s (workspace, id, fence, nonce, purge_on, state, attempt, started_at, ended_at,
            expires_at, fingerprint, account_changing, account, operation, request_id)
        SELECT w, gen_random_uuid(), 1, 1, to_date(right('%s', 8), 'YYYYMMDD'), 4, 1, now(), now(), now(),
            gen_random_uuid(), false, 'a', 'o', 'r'
        FROM unnest(ARRAY['a', 'b']) w"""
            .formatted(RESULTS, partition));
    try (var runtime = as(SessionRoles.SEPARATED.beginRuntime())) {
      query(runtime, "SELECT set_config('hapax.scope', 'a', false)");
      assertThat(query(runtime, "SELECT workspace FROM " + RESULTS)).containsExactly("a");
      assertDenied(runtime, "SELECT * FROM " + partition);
    }
    try (var maintenance = as(SessionRoles.SEPARATED.beginMaintenance())) {
      assertDenied(maintenance, "SELECT * FROM " + partition);
      assertThatThrownBy(
              () -> query(maintenance, "SELECT hapax.drop_result_partition(current_date)"))
          .hasMessageContaining("still needed");
    }
    database.execute("GRANT SELECT ON %s TO PUBLIC".formatted(partition));
    try (var runtime = as(SessionRoles.SEPARATED.beginRuntime())) {
      query(runtime, "SELECT set_config('hapax.scope', 'a', false)");
      assertThat(query(runtime, "SELECT workspace FROM " + partition)).isEmpty();
    }
  }

  /** Connections of a user of its own, which this creates. */
  private DataSource user(String name, String options) {
    database.execute(
        "DO $$ BEGIN CREATE ROLE %1$s LOGIN PASSWORD 'test' %2$s; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
            .formatted(name, options));
    database.execute(
        "DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %%I TO %s', current_database()); END $$"
            .formatted(name));
    var source = new PGSimpleDataSource();
    source.setURL(database.url());
    source.setUser(name);
    source.setPassword("test");
    return source;
  }

  @Test
  @DisplayName("given an owner that may create roles, when it migrates, then it may assume them")
  void ownerWithRoles() throws SQLException {
    var owner = user("hapax_test_creator", "CREATEROLE");
    Migrations.migrate(owner);
    try (var connection = owner.getConnection()) {
      assertThat(SessionRoles.of(connection, RowLevelSecurity.AUTO))
          .isEqualTo(SessionRoles.SEPARATED);
      query(connection, SessionRoles.SEPARATED.beginRuntime());
      assertThat(query(connection, "SELECT workspace FROM hapax.definition")).isEmpty();
    }
  }

  @Test
  @DisplayName(
      "given an owner that may not create roles, when it migrates, then sessions keep its user")
  void ownerWithoutRoles() throws SQLException {
    var owner = user("hapax_test_owner", "");
    Migrations.migrate(owner);
    insertDefinitions();
    try (var connection = owner.getConnection()) {
      assertThat(SessionRoles.of(connection, RowLevelSecurity.AUTO)).isEqualTo(SessionRoles.LOGIN);
      assertThatThrownBy(() -> SessionRoles.of(connection, RowLevelSecurity.ON))
          .hasMessageContaining("hapax migrate");
      assertThat(query(connection, "SELECT workspace FROM hapax.definition")).hasSize(3);
    }
    try (var partitions =
        new ResultPartitions(new MaintenanceConnections(owner, SessionRoles.LOGIN))) {
      partitions.maintain();
      assertThat(partitions.daysAhead()).isPositive();
    }
  }

  @Test
  @DisplayName(
      "given a current schema whose roles were lost, when a server migrates, then it creates them")
  void lostRoles() throws SQLException {
    Migrations.migrate(database.dataSource());
    database.execute(
        "DO $$ BEGIN EXECUTE format('DROP OWNED BY %1$I, %2$I; DROP ROLE %1$I, %2$I',"
            + " hapax.role_name('runtime'), hapax.role_name('maintenance')); END $$");
    assertThat(Migrations.migrate(database.dataSource())).isZero();
    try (var connection = database.connect()) {
      assertThat(SessionRoles.of(connection, RowLevelSecurity.ON))
          .isEqualTo(SessionRoles.SEPARATED);
      query(connection, SessionRoles.SEPARATED.beginMaintenance());
      assertThat(query(connection, "SELECT workspace FROM hapax.operation")).isEmpty();
    }
  }

  @Test
  @DisplayName(
      "given roles and a login of an administrator, then the login serves and cannot migrate")
  void strictSite() throws SQLException {
    var owner = user("hapax_test_owner", "");
    Migrations.migrate(owner);
    for (var kind : List.of("runtime", "maintenance")) {
      database.execute(
          "DO $$ BEGIN EXECUTE format('CREATE ROLE %%I', hapax.role_name('%s')); END $$"
              .formatted(kind));
    }
    Migrations.migrateAndGrant(owner);
    var login = user("hapax_test_login", "");
    database.execute(
        "DO $$ BEGIN EXECUTE format('GRANT %I, %I TO hapax_test_login', hapax.role_name('runtime'),"
            + " hapax.role_name('maintenance')); END $$");
    assertThat(Migrations.migrate(login)).isZero();
    try (var connection = login.getConnection()) {
      assertThat(SessionRoles.of(connection, RowLevelSecurity.ON))
          .isEqualTo(SessionRoles.SEPARATED);
      assertDenied(connection, "ALTER TABLE hapax.operation DISABLE ROW LEVEL SECURITY");
    }
    try (var connection = owner.getConnection()) {
      assertThat(SessionRoles.of(connection, RowLevelSecurity.AUTO)).isEqualTo(SessionRoles.LOGIN);
    }
    database.execute(
        "DELETE FROM hapax.flyway_schema_history"
            + " WHERE installed_rank = (SELECT max(installed_rank) FROM hapax.flyway_schema_history)");
    assertThatThrownBy(() -> Migrations.migrate(login))
        .isInstanceOfSatisfying(
            MigrationException.class, e -> assertThat(e.reason().getSQLState()).isEqualTo(DENIED));
  }
}
