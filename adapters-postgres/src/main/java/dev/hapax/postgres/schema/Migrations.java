package dev.hapax.postgres.schema;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/** Migrates a database to the schema that this version needs. Forward only. */
public final class Migrations {
  /** The schema of all tables of Hapax. */
  public static final String SCHEMA = "hapax";

  private static final String UNKNOWN_SCHEMA = "HX100";

  private Migrations() {}

  /**
   * Applies the missing migrations and roles; returns the number of migrations.
   *
   * @throws MigrationException if the database is unreachable or a migration fails
   */
  public static int migrate(DataSource database) {
    return SchemaHistory.isCurrent(database) && !SessionRoles.areMissing(database)
        ? 0
        : migrateAndGrant(database);
  }

  /**
   * Applies the missing migrations, and the rights of the roles even if none is missing; returns
   * the number of migrations.
   *
   * @throws MigrationException if the database is unreachable or a migration fails
   */
  public static int migrateAndGrant(DataSource database) {
    return with(database, flyway -> flyway.migrate().migrationsExecuted);
  }

  /** The schema version of the database; empty = it has none. */
  public static String version(DataSource database) {
    return with(
        database,
        flyway -> {
          var current = flyway.info().current();
          return current == null ? "" : current.getVersion().getVersion();
        });
  }

  /** The schema version of this program. */
  public static String wanted(DataSource database) {
    return with(
        database,
        flyway ->
            Arrays.stream(flyway.info().all())
                .filter(migration -> migration.getState().isResolved() && migration.isVersioned())
                .map(MigrationInfo::getVersion)
                .max(Comparator.naturalOrder())
                .orElseThrow()
                .getVersion());
  }

  private static <T> T with(DataSource database, Function<Flyway, T> work) {
    try {
      return work.apply(configure(database).load());
    } catch (FlywayException e) {
      throw new MigrationException(reason(e));
    }
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
    return Flyway.configure()
        .dataSource(database)
        .schemas(SCHEMA)
        .locations("classpath:db/migration", "classpath:db/callback")
        .cleanDisabled(true);
  }
}
