package dev.hapax.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.postgres.entity.EntityNodes;
import dev.hapax.postgres.intent.SqlGrantTable;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What docs/sql.md promises of the functions that post intents, without a server that takes them.
 */
class IntentFunctionsIT {
  private static final TestDatabase DATABASE = TestDatabase.create();
  private static final String READ_ONLY_TRANSACTION = "25006";
  private static final String NOT_GRANTED = "42501";
  private static final String SHOP = DATABASE.query("SELECT current_database() || '_shop'");
  private static final String CLERK = SHOP + "_clerk";
  private static final String VISITOR = SHOP + "_visitor";
  private static final String RUN = "run_01h455vb4pex5vsknk084sn02q";

  private static final List<String> POSTS =
      List.of(
          "hapax.start_run('', 'order', idempotency_key => 'secret-key', token => 'secret-token')",
          "hapax.start_run('', 'order', token => 'secret-token', on_conflict => 'supersede')",
          "hapax.signal_run('', '%s', 'paid')".formatted(RUN),
          "hapax.signal_hook('', 'secret-token', 'paid')",
          "hapax.cancel_run('', '%s')".formatted(RUN));

  @BeforeAll
  static void migrate() {
    Migrations.migrate(DATABASE.dataSource());
    DATABASE.execute(
        """
        CREATE ROLE %1$s;
        CREATE ROLE %2$s IN ROLE %1$s;
        CREATE ROLE %3$s NOINHERIT IN ROLE %1$s;
        INSERT INTO hapax.sql_grant VALUES
          ('%1$s', 'default', '{start_run,signal_run,signal_hook,cancel_run}', now(), 'test',
            '%1$s'::regrole);
        SELECT hapax.apply_sql_grants()"""
            .formatted(SHOP, CLERK, VISITOR));
  }

  @AfterAll
  static void close() {
    DATABASE.execute(
        "DROP OWNED BY %1$s; DROP ROLE %2$s, %1$s, %3$s".formatted(SHOP, CLERK, VISITOR));
    DATABASE.close();
  }

  /** A transaction of this user. */
  private static Connection begin(String user) throws SQLException {
    var connection = DATABASE.connect();
    execute(connection, "SET SESSION AUTHORIZATION " + user);
    connection.setAutoCommit(false);
    return connection;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String query(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      return rows.next() ? rows.getString(1) : "none";
    }
  }

  private static String post(Connection connection, String call) throws SQLException {
    return query(connection, "SELECT " + call);
  }

  /** A session of one login that has chosen the role of a tenant, or none. */
  private static Connection as(String login, String role) throws SQLException {
    var connection = DATABASE.connect();
    execute(connection, "SET SESSION AUTHORIZATION " + login);
    execute(connection, "SET ROLE " + role);
    return connection;
  }

  @Test
  @DisplayName(
      "given one login and a role for each tenant, when the session sets a role, then this role"
          + " posts, with and without the rights of the others [security-M2]")
  void roleInForce() throws SQLException {
    var eu = SHOP + "_eu";
    var us = SHOP + "_us";
    var heir = SHOP + "_heir";
    var plain = SHOP + "_plain";
    DATABASE.execute(
        """
        CREATE ROLE %1$s;
        CREATE ROLE %2$s;
        CREATE ROLE %3$s IN ROLE %1$s, %2$s;
        CREATE ROLE %4$s NOINHERIT IN ROLE %1$s, %2$s;
        INSERT INTO hapax.sql_grant VALUES
          ('%1$s', 'eu', '{start_run,signal_run,signal_hook,cancel_run}', now(), 'test',
            '%1$s'::regrole),
          ('%2$s', 'us', '{start_run,signal_run,signal_hook,cancel_run}', now(), 'test',
            '%2$s'::regrole);
        SELECT hapax.apply_sql_grants()"""
            .formatted(eu, us, heir, plain));
    try {
      for (var login : List.of(heir, plain)) {
        for (var call : POSTS) {
          try (var connection = as(login, eu)) {
            var ticket = post(connection, call.replace("(''", "('eu'"));
            assertThat(DATABASE.query("SELECT role FROM hapax.inbox ORDER BY seq DESC LIMIT 1"))
                .as(call)
                .isEqualTo(eu);
            assertThat(
                    query(
                        connection,
                        "SELECT count(*) FROM hapax.ticket('eu', '%s')".formatted(ticket)))
                .isEqualTo("1");
            assertRefused(connection, "SELECT " + call.replace("(''", "('us'"));
            assertRefused(connection, "SELECT hapax.ticket('us', '%s')".formatted(ticket));
          }
        }
      }
      try (var connection = as(heir, "none")) {
        assertThat(post(connection, "hapax.start_run('us', 'order')")).startsWith("run_");
      }
      try (var connection = as(plain, "none")) {
        assertRefused(connection, "SELECT hapax.start_run('us', 'order')");
      }
    } finally {
      DATABASE.execute(
          "DELETE FROM hapax.inbox; DELETE FROM hapax.sql_grant WHERE workspace IN ('eu', 'us');"
              + " DROP OWNED BY %1$s, %2$s; DROP ROLE %3$s, %4$s, %1$s, %2$s"
                  .formatted(eu, us, heir, plain));
    }
  }

  @Test
  @DisplayName(
      "given a role that was dropped and created again, when grants are applied, then it may not"
          + " post before a new grant [security-S7]")
  void droppedRole() throws Exception {
    var role = SHOP + "_again";
    var source = DATABASE.dataSource();
    var calls = new ArrayList<>(POSTS);
    calls.add("hapax.ticket('', '%s')".formatted(RUN));
    DATABASE.execute("CREATE ROLE " + role);
    try {
      grant(role);
      try (var connection = begin(role)) {
        assertThat(post(connection, POSTS.getFirst())).startsWith("run_");
      }
      DATABASE.execute("DROP OWNED BY %1$s; DROP ROLE %1$s; CREATE ROLE %1$s".formatted(role));

      Migrations.migrateAndGrant(source);

      // with the right to execute, which another role may give
      DATABASE.execute(
          "GRANT USAGE ON SCHEMA hapax TO %1$s; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA hapax TO %1$s"
              .formatted(role));
      for (var call : calls) {
        try (var connection = begin(role)) {
          assertRefused(connection, "SELECT " + call);
        }
      }
      Migrations.migrateAndGrant(source);
      assertThat(
              DATABASE.query(
                  "SELECT has_function_privilege('%s', 'hapax.cancel_run(text, text, text)', 'EXECUTE')"
                      .formatted(role)))
          .isEqualTo("f");
      assertThat(isOver(role)).isTrue();

      grant(role);

      assertThat(isOver(role)).isFalse();
      try (var connection = begin(role)) {
        assertThat(post(connection, POSTS.getFirst())).startsWith("run_");
      }
    } finally {
      DATABASE.execute(
          "DELETE FROM hapax.sql_grant WHERE role = '%1$s'; DROP OWNED BY %1$s; DROP ROLE %1$s"
              .formatted(role));
    }
  }

  private static void grant(String role) throws Exception {
    SqlGrantTable.inTransaction(
        DATABASE.dataSource(),
        grants -> {
          grants.put(role, Workspace.DEFAULT, EnumSet.allOf(IntentVerb.class), "test");
          return true;
        });
  }

  private static boolean isOver(String role) throws Exception {
    return SqlGrantTable.inTransaction(DATABASE.dataSource(), SqlGrantTable::list).stream()
        .filter(grant -> grant.role().equals(role))
        .findFirst()
        .orElseThrow()
        .isOver();
  }

  @Test
  @DisplayName(
      "given two sessions that grant at once, then one waits for the other, and both grant")
  void grantsAtOnce() throws SQLException {
    try (var first = DATABASE.connect()) {
      first.setAutoCommit(false);
      execute(first, "SELECT hapax.apply_sql_grants()");
      var second =
          CompletableFuture.runAsync(() -> DATABASE.execute("SELECT hapax.apply_sql_grants()"));
      EntityNodes.awaitUntil(
          "the second waits",
          () ->
              DATABASE
                  .query(
                      "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'"
                          + " AND database = (SELECT oid FROM pg_database"
                          + " WHERE datname = current_database())")
                  .equals("1"));
      first.commit();
      second.join();
    }
  }

  @Test
  @DisplayName("given all functions, then only caller() reads the session user [security-M2]")
  void callers() {
    assertThat(
            DATABASE.query(
                """
                SELECT string_agg(proname, ' ') FROM pg_proc
                WHERE pronamespace = 'hapax'::regnamespace AND prosrc LIKE '%session\\_user%'"""))
        .isEqualTo("caller");
  }

  private static void assertRefused(Connection connection, String call) {
    assertThatThrownBy(() -> execute(connection, call))
        .as(call)
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(NOT_GRANTED));
  }

  @Test
  @Tag("D8")
  @DisplayName("given a transaction that cannot write, then it cannot post")
  void readOnly() throws SQLException {
    for (var call : POSTS) {
      try (var connection = begin(SHOP)) {
        connection.setReadOnly(true);
        assertThatThrownBy(() -> post(connection, call))
            .as(call)
            .isInstanceOfSatisfying(
                SQLException.class,
                e -> assertThat(e.getSQLState()).isEqualTo(READ_ONLY_TRANSACTION));
      }
    }
  }

  @Test
  @Tag("D1")
  @DisplayName(
      "given an intent, then its own transaction sees it as posted and undecided, and no other one"
          + " sees it")
  void undecided() throws SQLException {
    try (var own = begin(SHOP);
        var other = begin(SHOP)) {
      for (var call : POSTS) {
        var read =
            "SELECT to_jsonb(t) FROM hapax.ticket('default', '%s') t".formatted(post(own, call));
        assertThat(query(own, read))
            .as(call)
            .isEqualTo(
                "{\"state\": \"posted\", \"reason\": null, \"run_id\": null, \"taken_at\": null,"
                    + " \"disposition\": null}");
        assertThat(query(other, read)).as(call).isEqualTo("none");
      }
      own.rollback();
    }
  }

  @Test
  @Tag("D3")
  @DisplayName(
      "given open transactions with intents for the same key, token and run that count the inbox,"
          + " then none of them waits for another")
  void waitsForNoOther() throws SQLException {
    // so many that each function counts anew
    DATABASE.execute("UPDATE hapax.inbox_count SET posted = 2000000");
    try (var first = begin(SHOP);
        var second = begin(SHOP);
        var third = begin(SHOP)) {
      for (var connection : List.of(first, second, third)) {
        execute(connection, "SET lock_timeout = '1ms'");
        for (var call : POSTS) {
          assertThat(post(connection, call)).as(call).isNotEmpty();
        }
      }
      for (var connection : List.of(second, first, third)) {
        connection.rollback();
      }
    }
    DATABASE.execute("UPDATE hapax.inbox_count SET posted = 0");
  }

  @Test
  @Tag("D7")
  @DisplayName(
      "given a role that inherits from one with a grant, then it may post, as the role in force")
  void inherits() throws SQLException {
    for (var role : List.of(CLERK, SHOP)) {
      assertThat(
              posted(
                  "SET LOCAL SESSION AUTHORIZATION %s; SET LOCAL ROLE %s".formatted(CLERK, role),
                  "SELECT string_agg(DISTINCT role, ' ') FROM hapax.inbox"))
          .isEqualTo(role);
    }
    try (var connection = begin(VISITOR)) {
      assertRefused(connection, "SELECT " + POSTS.getFirst());
    }
  }

  /** Posts all in a transaction that begins like this, and reads as the superuser; undoes it. */
  private static String posted(String begin, String read) throws SQLException {
    try (var connection = DATABASE.connect()) {
      connection.setAutoCommit(false);
      execute(connection, begin);
      for (var call : POSTS) {
        assertThat(post(connection, call)).as(call).isNotEmpty();
      }
      execute(connection, "RESET SESSION AUTHORIZATION");
      assertThat(query(connection, "SELECT count(*) FROM hapax.inbox"))
          .isEqualTo(String.valueOf(POSTS.size()));
      var found = query(connection, read);
      connection.rollback();
      return found;
    }
  }

  @Test
  @Tag("D8")
  @DisplayName("given a key and a token, then the row has neither of them")
  void hashed() throws SQLException {
    assertThat(
            posted(
                "SET LOCAL SESSION AUTHORIZATION " + SHOP,
                "SELECT string_agg(i::text, ' ') FROM hapax.inbox i"))
        .contains("order")
        .doesNotContain("secret");
  }
}
