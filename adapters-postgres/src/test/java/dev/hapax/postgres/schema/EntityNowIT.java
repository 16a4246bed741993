package dev.hapax.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What docs/sql.md promises of the view of entities. */
class EntityNowIT {
  private static final TestDatabase DATABASE = TestDatabase.create();
  private static final String NOT_GRANTED = "42501";
  private static final String EU = DATABASE.query("SELECT current_database() || '_eu'");
  private static final String US = DATABASE.query("SELECT current_database() || '_us'");
  private static final String WEB = DATABASE.query("SELECT current_database() || '_web'");

  @BeforeAll
  static void migrate() {
    Migrations.migrate(DATABASE.dataSource());
    DATABASE.execute(
        """
        CREATE ROLE %1$s; CREATE ROLE %2$s; CREATE ROLE %3$s LOGIN NOINHERIT IN ROLE %1$s, %2$s;
        INSERT INTO hapax.sql_grant VALUES
          ('%1$s', 'eu', '{start_run}', now(), 'test', '%1$s'::regrole),
          ('%2$s', 'us', '{start_run}', now(), 'test', '%2$s'::regrole);
        SELECT hapax.apply_sql_grants();
        INSERT INTO hapax.entity (workspace, lifecycle, id, created_at, version, fence, hold, status)
          SELECT w, 'invoice', 'I-' || n, now(), 3, 1, 1, 'approved'
          FROM unnest('{eu,us,asia}'::text[]) w, generate_series(1, 5000) n;
        INSERT INTO hapax.entity_event (workspace, lifecycle, entity_id, version, at, type, status)
          SELECT workspace, lifecycle, id, 3, '2026-01-01Z', 1, 'approved' FROM hapax.entity;
        UPDATE hapax.entity SET hold = 2, status = 'paying', to_status = 'paid', nonce = 7,
            pending_intent = '01890000-0000-7000-8000-000000000001'
          WHERE workspace = 'eu' AND id = 'I-17';
        UPDATE hapax.entity SET hold = 2, status = 'paying', to_status = 'paid', nonce = 8
          WHERE workspace = 'eu' AND id = 'I-18';
        INSERT INTO hapax.inbox (workspace, id, seq, posted_at, role, verb, size) VALUES
          ('eu', '01890000-0000-7000-8000-000000000001', 1, '2026-02-02Z', 'shop', 5, 0);
        ANALYZE hapax.entity"""
            .formatted(EU, US, WEB));
  }

  @AfterAll
  static void close() {
    DATABASE.execute("DROP OWNED BY %1$s, %2$s; DROP ROLE %3$s, %1$s, %2$s".formatted(EU, US, WEB));
    DATABASE.close();
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

  private static Connection as(String role) throws SQLException {
    var connection = DATABASE.connect();
    try (var statement = connection.createStatement()) {
      statement.execute("SET SESSION AUTHORIZATION " + WEB + "; SET ROLE " + role);
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
    return connection;
  }

  @Test
  @DisplayName("given a role in force, then it reads the entities of its own workspaces alone")
  void workspaces() throws SQLException {
    var all = "SELECT workspace || ' ' || count(*) FROM hapax.entity_now GROUP BY workspace";
    try (var connection = as(EU)) {
      assertThat(query(connection, all)).containsExactly("eu 5000");
      assertThatThrownBy(() -> query(connection, "SELECT * FROM hapax.entity"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(NOT_GRANTED));
      assertThatThrownBy(
              () -> query(connection, "UPDATE hapax.entity_now SET status = 'x' RETURNING status"))
          .isInstanceOf(SQLException.class);
    }
    try (var connection = as(US)) {
      assertThat(query(connection, all)).containsExactly("us 5000");
    }
    try (var connection = as("none")) {
      assertThatThrownBy(() -> query(connection, all))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(NOT_GRANTED));
    }
  }

  @Test
  @DisplayName("given a condition that raises what it compares, then it gets no foreign row")
  void barrier() throws SQLException {
    try (var connection = as(US);
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(
          """
          CREATE FUNCTION pg_temp.leak(workspace text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS
          $$ BEGIN IF workspace <> 'us' THEN RAISE 'leaked %', workspace; END IF; RETURN true; END $$""");
      assertThat(
              query(
                  connection,
                  "SELECT count(*) FROM hapax.entity_now WHERE pg_temp.leak(workspace)"))
          .containsExactly("5000");
      connection.rollback();
    }
  }

  @Test
  @DisplayName("given a completion that is committed and not carried out, then its status is read")
  void pending() throws SQLException {
    var one =
        "SELECT concat_ws(' ', status, version, since AT TIME ZONE 'UTC') FROM hapax.entity_now"
            + " WHERE workspace = 'eu' AND lifecycle = 'invoice' AND entity = '%s'";
    try (var connection = as(EU)) {
      assertThat(query(connection, one.formatted("I-16")))
          .containsExactly("approved 3 2026-01-01 00:00:00");
      assertThat(query(connection, one.formatted("I-17")))
          .containsExactly("paid 4 2026-02-02 00:00:00");
      assertThat(query(connection, one.formatted("I-18")))
          .containsExactly("paying 3 2026-01-01 00:00:00");
    }
  }

  @Test
  @DisplayName("given a lookup, or one for each row, then each entity is found by the primary key")
  void plan() throws SQLException {
    try (var connection = as(EU)) {
      for (var sql :
          List.of(
              "SELECT * FROM hapax.entity_now WHERE workspace = 'eu' AND lifecycle = 'invoice' AND entity = 'I-17'",
              "SELECT (SELECT e.status FROM hapax.entity_now e WHERE e.workspace = 'eu'"
                  + " AND e.lifecycle = 'invoice' AND e.entity = i.id::text) FROM generate_series(1, 20) i (id)",
              "SELECT s.* FROM generate_series(1, 20) i (id) CROSS JOIN LATERAL ("
                  + " SELECT e.status, e.since FROM hapax.entity_now e WHERE e.workspace = 'eu'"
                  + " AND e.lifecycle = 'invoice' AND e.entity = i.id::text OFFSET 0) s")) {
        var plan = String.join("\n", query(connection, "EXPLAIN (COSTS OFF) " + sql));
        assertThat(plan)
            .containsPattern(
                "Index Scan using entity_pkey on entity e\\w*\\n *Index Cond: .*workspace.* = 'eu'.*lifecycle.* = 'invoice'.*id.*=")
            .doesNotContain("Seq Scan on entity ");
      }
    }
  }

  @Test
  @DisplayName("given a revoked grant, then the view cannot be read")
  void revoked() throws SQLException {
    DATABASE.execute("DELETE FROM hapax.sql_grant WHERE role = '%s'".formatted(US));
    try (var connection = as(US)) {
      assertThat(query(connection, "SELECT * FROM hapax.entity_now")).isEmpty();
      DATABASE.execute("SELECT hapax.apply_sql_grants()");
      assertThatThrownBy(() -> query(connection, "SELECT * FROM hapax.entity_now"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(NOT_GRANTED));
    } finally {
      DATABASE.execute(
          "INSERT INTO hapax.sql_grant VALUES ('%1$s', 'us', '{start_run}', now(), 'test', '%1$s'::regrole); SELECT hapax.apply_sql_grants()"
              .formatted(US));
    }
  }
}
