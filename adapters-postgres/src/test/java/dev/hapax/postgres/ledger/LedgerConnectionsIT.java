package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LedgerConnectionsIT {
  @Test
  @DisplayName("a wait for a lock ends well before PostgreSQL looks for a deadlock")
  void lockTimeout() throws SQLException {
    try (var database = TestDatabase.create()) {
      var address = new HikariConfig();
      address.setDataSource(database.dataSource());
      try (var pool = LedgerConnections.pool(address, 1, SessionRoles.LOGIN);
          var connection = pool.getConnection()) {
        assertThat(setting(connection, "lock_timeout"))
            .isBetween(
                Duration.ofMillis(1),
                setting(connection, "deadlock_timeout").dividedBy(5).multipliedBy(4));
      }
    }
  }

  private static Duration setting(Connection connection, String name) throws SQLException {
    try (var statement =
        connection.prepareStatement("SELECT setting FROM pg_settings WHERE name = ?")) {
      statement.setString(1, name);
      try (var rows = statement.executeQuery()) {
        assertThat(rows.next()).isTrue();
        return Duration.ofMillis(rows.getLong(1));
      }
    }
  }
}
