package dev.hapax.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one workspace leaves of the inbox to others. */
class IntentSharesIT {
  private static final TestDatabase DATABASE = TestDatabase.create();
  private static final int LIMIT = 40;
  private static final String FULL = "HX005";

  @BeforeAll
  static void migrate() {
    Migrations.migrate(DATABASE.dataSource());
    DATABASE.execute(
        String.format(
            Locale.ROOT,
            """
        CREATE OR REPLACE FUNCTION hapax.inbox_limit() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
          RETURN %d::bigint;
        INSERT INTO hapax.sql_grant
          SELECT session_user, w, '{start_run,signal_run,signal_hook,cancel_run}', now(), 'test',
            session_user::regrole
          FROM unnest('{eu,us,asia}'::text[]) w;
        SELECT hapax.apply_sql_grants()""",
            LIMIT));
  }

  @BeforeEach
  void empty() {
    DATABASE.execute(
        "TRUNCATE hapax.inbox; UPDATE hapax.inbox_count SET counted_to = 0, posted = 0;"
            + " UPDATE hapax.inbox_share SET counted_to = 0, posted = 0; ALTER SEQUENCE hapax.inbox_seq RESTART");
  }

  @AfterAll
  static void close() {
    DATABASE.close();
  }

  private static void post(Connection connection, String call, int times) throws SQLException {
    try (var statement = connection.createStatement()) {
      for (var i = 0; i < times; i++) {
        statement.execute("SELECT hapax." + call);
      }
    }
  }

  private static void assertFull(Connection connection, String call, String message) {
    assertThatThrownBy(() -> post(connection, call, 1))
        .as(call)
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> {
              assertThat(e.getSQLState()).isEqualTo(FULL);
              assertThat(e.getMessage()).contains(message);
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "start_run('eu', 'order')",
        "start_run('eu', 'order', version => '1')",
        "signal_run('eu', 'run_01h455vb4pex5vsknk084sn02q', 'paid')",
        "signal_hook('eu', 't', 'paid')",
        "cancel_run('eu', 'run_01h455vb4pex5vsknk084sn02q')"
      })
  @DisplayName(
      "given a workspace with half of the inbox, then it is refused by its name, and others post"
          + " [security-S1]")
  void half(String call) throws SQLException {
    try (var connection = DATABASE.connect()) {
      post(connection, call, LIMIT / 2);
      assertFull(
          connection, call, "the inbox is full for workspace eu: it has 20 intents that no server");
      post(connection, call.replace("'eu'", "'us'"), LIMIT / 2);
      assertFull(
          connection,
          call.replace("'eu'", "'asia'"),
          "the inbox is full for workspace asia and all others: together they have 40 intents");

      DATABASE.execute("DELETE FROM hapax.inbox WHERE seq = (SELECT min(seq) FROM hapax.inbox)");
      post(connection, call, 1);
      assertFull(connection, call, "the inbox is full for workspace eu");
    }
  }

  @Test
  @DisplayName("given open transactions that count a share, then none waits for another")
  void waitsForNone() throws SQLException {
    try (var first = DATABASE.connect();
        var second = DATABASE.connect()) {
      DATABASE.execute("SELECT setval('hapax.inbox_seq', 1000)");
      for (var connection : List.of(first, second)) {
        connection.setAutoCommit(false);
        try (var statement = connection.createStatement()) {
          statement.execute("SET lock_timeout = '1ms'");
        }
        post(connection, "start_run('eu', 'order')", 1);
      }
      second.rollback();
      first.commit();
    }
    assertThat(DATABASE.query("SELECT counted_to FROM hapax.inbox_share WHERE workspace = 'eu'"))
        .isEqualTo("1001");
  }

  @Test
  @DisplayName("given all functions, then each counts the intents of its workspace [security-S1]")
  void everyFunction() {
    assertThat(
            DATABASE.query(
                """
                SELECT string_agg(proname, ' ' ORDER BY proname) FROM pg_proc
                WHERE pronamespace = 'hapax'::regnamespace AND prosrc LIKE '%INSERT INTO hapax.inbox (%'
                  AND prosrc NOT LIKE '%next\\_intent(own)%' AND prosrc NOT LIKE '%s.counted\\_to%'"""))
        .isEqualTo("null");
  }
}
