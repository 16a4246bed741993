package dev.hapax.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.postgres.ledger.PostgresLedger;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.RowLevelSecurity;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Settings of a database that would break the sessions of a server. */
class SessionSettingsIT {
  private static final TestDatabase DATABASE = TestDatabase.create();

  @BeforeAll
  static void migrate() {
    Migrations.migrate(DATABASE.dataSource());
    DATABASE.set("row_security", "off");
    DATABASE.set("idle_session_timeout", "2s");
    DATABASE.set("standard_conforming_strings", "off");
  }

  @AfterAll
  static void close() {
    DATABASE.close();
  }

  private static String show(DataSource source, String setting) throws SQLException {
    try (var connection = source.getConnection();
        var statement = connection.createStatement();
        var rows = statement.executeQuery("SHOW " + setting)) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static PostgresConfig config() {
    return new PostgresConfig(
        DATABASE.url(),
        "",
        new DatabasePassword.None(),
        3,
        PostgresLedger.Settings.DEFAULT,
        Duration.ofDays(7),
        Duration.ofDays(7),
        RowLevelSecurity.ON,
        "test");
  }

  private static List<DataSource> sources() {
    return List.of(PostgresSources.direct(config()), PostgresSources.bounded(config()));
  }

  @Test
  @DisplayName(
      "given a database with row_security off, then each session of a server has it on, and reads"
          + " under the policies [security-N3]")
  void rowSecurity() throws Exception {
    assertThat(show(DATABASE.dataSource(), "row_security")).isEqualTo("off");
    for (var source : sources()) {
      assertThat(show(source, "row_security")).isEqualTo("on");
    }
    try (var store = PostgresStore.open(config())) {
      assertThat(store.janitors().list().get()).isEmpty();
    }
  }

  @Test
  @DisplayName(
      "given a database with a timeout of idle sessions, then sessions of a server have none"
          + " [security-N10]")
  void idleSessions() throws Exception {
    assertThat(show(DATABASE.dataSource(), "idle_session_timeout")).isEqualTo("2s");
    for (var source : sources()) {
      assertThat(show(source, "idle_session_timeout")).isEqualTo("0");
    }
  }

  @Test
  @DisplayName(
      "given a database that reads strings in another way, then sessions of a server do not")
  void strings() throws Exception {
    for (var source : sources()) {
      assertThat(show(source, "standard_conforming_strings")).isEqualTo("on");
    }
  }
}
