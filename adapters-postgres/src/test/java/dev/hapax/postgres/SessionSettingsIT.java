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
    DATABASE.execute(
        """
        DO $$ BEGIN
          EXECUTE format('ALTER DATABASE %1$I SET row_security = off', current_database());
          EXECUTE format('ALTER DATABASE %1$I SET idle_session_timeout = ''2s''', current_database());
          EXECUTE format('ALTER DATABASE %1$I SET standard_conforming_strings = off', current_database());
        END $$""");
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

  @Test
  @DisplayName(
      "given a database with row_security off and a timeout of idle sessions, then each session of a"
          + " server has its own settings, and reads under the policies [security-N3] [security-N10]")
  void ownSettings() throws Exception {
    var config =
        new PostgresConfig(
            DATABASE.url(),
            "",
            new DatabasePassword.None(),
            3,
            PostgresLedger.Settings.DEFAULT,
            Duration.ofDays(7),
            Duration.ofDays(7),
            RowLevelSecurity.ON,
            "test");
    assertThat(show(DATABASE.dataSource(), "row_security")).isEqualTo("off");
    for (var source : List.of(PostgresSources.direct(config), PostgresSources.bounded(config))) {
      assertThat(show(source, "row_security")).isEqualTo("on");
      assertThat(show(source, "idle_session_timeout")).isEqualTo("0");
      assertThat(show(source, "standard_conforming_strings")).isEqualTo("on");
    }
    try (var store = PostgresStore.open(config)) {
      assertThat(store.janitors().list().get()).isEmpty();
    }
  }
}
