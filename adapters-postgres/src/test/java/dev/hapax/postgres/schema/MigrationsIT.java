package dev.hapax.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.postgres.ledger.SqlState;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.List;
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
  @DisplayName("given a migrated database, then it is current, and Flyway checks one that differs")
  void recognisesACurrentSchema() {
    assertThat(SchemaHistory.isCurrent(database.dataSource())).isFalse();
    Migrations.migrate(database.dataSource());
    assertThat(SchemaHistory.isCurrent(database.dataSource())).isTrue();
    assertThat(Migrations.migrate(database.dataSource())).isZero();
    var newest = Integer.parseInt(Migrations.version(database.dataSource()));

    for (var change :
        List.of(
            "UPDATE hapax.flyway_schema_history SET checksum = checksum + 1 WHERE version = '003'",
            "UPDATE hapax.flyway_schema_history SET success = false WHERE version = '003'",
            "DELETE FROM hapax.flyway_schema_history WHERE version = '003'")) {
      database.execute("CREATE TABLE kept AS TABLE hapax.flyway_schema_history");
      database.execute(change);
      assertThat(SchemaHistory.isCurrent(database.dataSource())).as(change).isFalse();
      assertThatThrownBy(() -> Migrations.migrate(database.dataSource()))
          .as(change)
          .isInstanceOf(MigrationException.class);
      database.execute("TRUNCATE hapax.flyway_schema_history");
      database.execute("INSERT INTO hapax.flyway_schema_history TABLE kept");
      database.execute("DROP TABLE kept");
    }

    database.execute(
        "INSERT INTO hapax.flyway_schema_history SELECT installed_rank + 1, '%03d', description, type,"
                .formatted(newest + 1)
            + " 'V%03d__later.sql', checksum, installed_by, installed_on, execution_time, success"
                .formatted(newest + 1)
            + " FROM hapax.flyway_schema_history ORDER BY installed_rank DESC LIMIT 1");
    assertThat(SchemaHistory.isCurrent(database.dataSource())).isFalse();
    assertThat(Migrations.migrate(database.dataSource())).isZero();
  }

  @Test
  @DisplayName(
      "given a backup that reads all tables, when migrating, then it times out and passes later")
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
