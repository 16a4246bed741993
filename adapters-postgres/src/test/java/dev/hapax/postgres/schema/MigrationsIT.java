package dev.hapax.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.postgres.ledger.SqlState;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
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
    assertThat(state()).isEqualTo(new SchemaState.Behind(0, Migrations.shipped()));
    Migrations.migrate(database.dataSource());
    assertThat(state()).isEqualTo(new SchemaState.Usable(Migrations.newest()));
    assertThat(Migrations.migrate(database.dataSource())).isZero();

    for (var change :
        List.of(
            "UPDATE hapax.flyway_schema_history SET checksum = checksum + 1 WHERE version = '003'",
            "UPDATE hapax.flyway_schema_history SET success = false WHERE version = '003'",
            "DELETE FROM hapax.flyway_schema_history WHERE version = '003'")) {
      database.execute("CREATE TABLE kept AS TABLE hapax.flyway_schema_history");
      database.execute(change);
      assertThat(state()).as(change).isEqualTo(new SchemaState.Differs());
      assertThatThrownBy(() -> Migrations.migrate(database.dataSource()))
          .as(change)
          .isInstanceOf(MigrationException.class);
      database.execute("TRUNCATE hapax.flyway_schema_history");
      database.execute("INSERT INTO hapax.flyway_schema_history TABLE kept");
      database.execute("DROP TABLE kept");
    }
  }

  private SchemaState state() {
    return Migrations.state(database.dataSource());
  }

  private void apply(int version, String script) {
    database.execute(
        String.format(
            Locale.ROOT,
            """
        INSERT INTO hapax.flyway_schema_history SELECT installed_rank + 1, '%03d', description, type,
            '%s', checksum, installed_by, installed_on, execution_time, success
          FROM hapax.flyway_schema_history ORDER BY installed_rank DESC LIMIT 1
        """,
            version,
            script));
  }

  @Test
  @DisplayName("given a schema of a later version, then it is usable, and nothing changes it")
  void leavesALaterSchemaAsItIs() {
    Migrations.migrate(database.dataSource());
    int later = Migrations.newest() + 1;
    apply(later, String.format(Locale.ROOT, "V%03d__expand_later.sql", later));
    database.execute(
        "DO $$ BEGIN EXECUTE format('REVOKE SELECT ON hapax.run FROM %I', hapax.role_name('runtime')); END $$");

    assertThat(state()).isEqualTo(new SchemaState.Usable(later));
    assertThat(Migrations.migrateAndGrant(database.dataSource())).isZero();
    assertThat(
            database.query(
                "SELECT has_table_privilege(hapax.role_name('runtime'), 'hapax.run', 'SELECT')"))
        .as("the rights that the later version has given are not replaced by those of this one")
        .isEqualTo("f");
  }

  @Test
  @DisplayName("given an unknown migration of an earlier version, then the schema differs")
  void unknownMigration() {
    Migrations.migrate(database.dataSource());
    apply(Migrations.newest(), String.format(Locale.ROOT, "V%03d__other.sql", Migrations.newest()));

    assertThat(state()).isEqualTo(new SchemaState.Differs());
  }

  @Test
  @DisplayName(
      "given a backup that reads all tables, when migrating, then it times out and passes later")
  void doesNotWaitForABackup() throws SQLException {
    Flyway.configure()
        .dataSource(database.dataSource())
        .schemas(Migrations.SCHEMA)
        .locations("classpath:db/migration")
        .target("11")
        .load()
        .migrate();
    try (var backup = database.connect();
        var reading = backup.createStatement()) {
      backup.setAutoCommit(false);
      reading.execute("SELECT count(*) FROM hapax.run");

      assertThatThrownBy(() -> Migrations.migrate(database.dataSource()))
          .isInstanceOfSatisfying(
              MigrationException.class,
              e -> {
                assertThat(SqlState.of(e.reason())).isEqualTo(SqlState.BLOCKED);
                assertThat(e).hasMessageStartingWith("V012__row_level_security.sql failed: ");
              });
      backup.rollback();
    }

    assertThat(Migrations.migrate(database.dataSource())).isPositive();
    assertThat(state()).isEqualTo(new SchemaState.Usable(Migrations.newest()));
  }
}
