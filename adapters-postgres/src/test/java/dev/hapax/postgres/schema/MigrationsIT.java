package dev.hapax.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.postgres.ledger.SqlState;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.SQLException;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MigrationsIT {
  private final TestDatabase database = TestDatabase.create();

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  @DisplayName("given a backup that reads all tables, a migration fails soon and passes afterwards")
  void doesNotWaitForABackup() throws SQLException {
    Flyway.configure()
        .dataSource(database.dataSource())
        .schemas(Migrations.SCHEMA)
        .locations("classpath:db/migration")
        .target("17")
        .load()
        .migrate();
    try (var backup = database.connect();
        var reading = backup.createStatement()) {
      backup.setAutoCommit(false);
      reading.execute("SELECT count(*) FROM hapax.run");

      assertThatThrownBy(() -> Migrations.migrate(database.dataSource()))
          .isInstanceOfSatisfying(
              MigrationException.class,
              e -> assertThat(SqlState.of(e.reason())).isEqualTo(SqlState.BLOCKED));
      backup.rollback();
    }

    assertThat(Migrations.migrate(database.dataSource())).isPositive();
    assertThat(Migrations.version(database.dataSource()))
        .isEqualTo(Migrations.wanted(database.dataSource()));
  }
}
