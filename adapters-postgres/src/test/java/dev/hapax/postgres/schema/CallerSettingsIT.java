package dev.hapax.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The SQL functions under the settings and with the intervals of an application. */
class CallerSettingsIT {
  private static final TestDatabase DATABASE = TestDatabase.create();
  private static final String INVALID = "HX001";

  @BeforeAll
  static void migrate() {
    DATABASE.set("standard_conforming_strings", "off");
    Migrations.migrate(DATABASE.dataSource());
    DATABASE.execute(
        """
        INSERT INTO hapax.sql_grant VALUES (
          session_user, 'default', '{start_run,signal_run,signal_hook,cancel_run,complete_action,
          complete_task,complete_operation}', now(), 'test', session_user::regrole);
        SELECT hapax.apply_sql_grants()""");
  }

  @AfterAll
  static void close() {
    DATABASE.close();
  }

  private static String query(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "start_run('', 'order')",
        "start_run('', 'order', '{\"a\": [1]}', version => '1', token => 't', labels => '{\"a\": \"b\"}')",
        "signal_run('', 'run_01h455vb4pex5vsknk084sn02q', 'paid')",
        "signal_run('', 'run_01h455vb4pex5vsknk084sn02q', repeat('é', 200))",
        "signal_hook('', 't', 'paid')",
        "signal_hook('', repeat('é', 200), 'paid')",
        "cancel_run('', 'run_01h455vb4pex5vsknk084sn02q', 'late')"
      })
  @DisplayName(
      "given a database with standard_conforming_strings off, then it migrates, and a new session"
          + " posts [security-S6] [public-reports-F8]")
  void posts(String call) throws SQLException {
    try (var connection = DATABASE.connect()) {
      assertThat(query(connection, "SHOW standard_conforming_strings")).isEqualTo("off");
      assertThat(query(connection, "SELECT hapax." + call)).isNotEmpty();
      assertThat(query(connection, "SHOW standard_conforming_strings")).isEqualTo("off");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "start_run('', E'a\\nb') | HX001",
        "ticket('', 'x') | HX001",
        "complete_action('', 'action_AAAA', 1) | HX001",
        "complete_task('', 'task_AAAA', 1) | HX001",
        "complete_operation('', 'op_AAAA', 1) | HX001",
        "complete_operation('', concat('op_', repeat('A', 60)), 1) | HX002",
        "complete('', '[{\"claim_id\": \"action_AAAA\", \"fence\": 1}]') | HX001"
      })
  @DisplayName(
      "given a database with standard_conforming_strings off, then functions reject what they"
          + " reject otherwise [security-S6]")
  void rejects(String call, String state) throws SQLException {
    try (var connection = DATABASE.connect()) {
      assertThatThrownBy(() -> query(connection, "SELECT hapax." + call))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(state));
    }
  }

  @Test
  @DisplayName(
      "given all functions with the rights of the owner, then each sets how it reads strings"
          + " [security-S6]")
  void everyFunction() {
    assertThat(
            DATABASE.query(
                """
                SELECT string_agg(proname, ' ') FROM pg_proc
                WHERE pronamespace = 'hapax'::regnamespace AND prosecdef
                  AND NOT coalesce(proconfig, '{}') @> '{standard_conforming_strings=on}'"""))
        .isEqualTo("null");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key_retention => '1 year'",
        "key_retention => '12 months'",
        "key_retention => '12 months 5 days'",
        "key_retention => '100000000 years'",
        "key_retention => '1 month -30 days'",
        "token_retention => '1 year'",
        "token_retention => '12 months'",
        "token_retention => '1 month -31 days'",
        "start_at => now() + interval '365 days 1 minute'"
      })
  @DisplayName(
      "given an interval that servers would refuse, then the function refuses it [security-S5]")
  void tooLong(String argument) throws SQLException {
    try (var connection = DATABASE.connect()) {
      assertThatThrownBy(
              () ->
                  query(
                      connection,
                      "SELECT hapax.start_run('', 'order', token => 't', " + argument + ")"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(INVALID));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key_retention => '365 days'",
        "key_retention => '11 months 30 days'",
        "token_retention => '8760 hours'",
        "token_retention => '0'"
      })
  @DisplayName("given an interval of at most 365 days, then a run is posted [security-S5]")
  void longest(String argument) throws SQLException {
    try (var connection = DATABASE.connect()) {
      assertThat(
              query(
                  connection,
                  "SELECT hapax.start_run('', 'order', token => 't', " + argument + ")"))
          .startsWith("run_");
    }
  }
}
