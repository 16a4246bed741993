package dev.hapax.postgres.schema;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.database.postgresql.PostgreSQLConfigurationExtension;

/** Migrates a database to the schema that this version needs. Forward only. */
public final class Migrations {
  /** The schema of all tables of Hapax. */
  public static final String SCHEMA = "hapax";

  private static final String UNKNOWN_SCHEMA = "HX100";
  private static final String OLDER_SERVER = "HX004";

  private Migrations() {}

  /**
   * Applies the missing migrations and roles; returns the number of migrations.
   *
   * @throws MigrationException if the database is unreachable or a migration fails
   */
  public static int migrate(DataSource database) {
    return state(database) instanceof SchemaState.Usable && !SessionRoles.areMissing(database)
        ? 0
        : migrateAndGrant(database);
  }

  /**
   * Applies the missing migrations, and the rights of the roles even if none is missing; returns
   * the number of migrations. Changes nothing in a schema of a newer version.
   *
   * @throws MigrationException if the database is unreachable or a migration fails
   */
  public static int migrateAndGrant(DataSource database) {
    if (state(database) instanceof SchemaState.Usable(var version) && version > newest()) {
      return 0;
    }
    try {
      SchemaHistory.forgetFailures(database);
      return configure(database).load().migrate().migrationsExecuted;
    } catch (SQLException e) {
      throw new MigrationException(e);
    } catch (FlywayException e) {
      throw new MigrationException(named(reason(e), database));
    }
  }

  /**
   * Compares the schema of the database with the migrations of this program.
   *
   * @throws MigrationException if it cannot be read
   */
  public static SchemaState state(DataSource database) {
    try {
      return SchemaHistory.state(database);
    } catch (SQLException e) {
      throw new MigrationException(e);
    }
  }

  /** The migrations of this program, in the order of their versions. */
  public static List<ShippedMigration> shipped() {
    return ShippedMigrations.all();
  }

  /** The schema version that this program needs. */
  public static int newest() {
    return shipped().getLast().version();
  }

  /** The exception with the migration that failed: those before it are applied. */
  private static SQLException named(SQLException failure, DataSource database) {
    try {
      return SchemaHistory.state(database) instanceof SchemaState.Behind(var _, var pending)
              && !UNKNOWN_SCHEMA.equals(failure.getSQLState())
          ? named(failure, pending.getFirst())
          : failure;
    } catch (SQLException _) {
      return failure;
    }
  }

  private static SQLException named(SQLException failure, ShippedMigration migration) {
    var message =
        OLDER_SERVER.equals(failure.getSQLState())
            ? "%s has to wait: %s. Stop or upgrade that server, then migrate again; a server that was killed counts as running for 60 s"
                .formatted(
                    migration.script(), String.valueOf(failure.getMessage()).replace("ERROR: ", ""))
            : "%s failed: %s".formatted(migration.script(), failure.getMessage());
    return new SQLException(message, failure.getSQLState(), failure);
  }

  /**
   * The exception for a failure: the message of the database, or that the schema differs from the
   * migrations.
   */
  private static SQLException reason(FlywayException e) {
    for (var cause = e.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException said) {
        return said;
      }
    }
    var lines = String.valueOf(e.getMessage()).lines().map(String::strip);
    return new SQLException(
        "its schema is not as migrations left it: " + lines.collect(Collectors.joining(" ")),
        UNKNOWN_SCHEMA,
        e);
  }

  private static FluentConfiguration configure(DataSource database) {
    var configuration =
        Flyway.configure()
            .dataSource(database)
            .schemas(SCHEMA)
            .locations("classpath:db/migration", "classpath:db/callback")
            .cleanDisabled(true);
    // the lock of migrations belongs to the session: CREATE INDEX CONCURRENTLY would wait for a
    // transaction that holds it
    configuration
        .getConfigurationExtension(PostgreSQLConfigurationExtension.class)
        .setTransactionalLock(false);
    return configuration;
  }
}
