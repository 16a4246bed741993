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

/** Brings a database to the schema this version needs. Forward only. */
public final class Migrations {
  /** Everything of Hapax is in this schema. */
  public static final String SCHEMA = "hapax";

  private static final String UNKNOWN_SCHEMA = "HX002";

  private Migrations() {}

  /**
   * Applies what is missing; returns how many migrations that were.
   *
   * @throws MigrationException if the database cannot be reached, or refuses
   */
  public static int migrate(DataSource database) {
    return SchemaHistory.isCurrent(database)
        ? 0
        : with(database, flyway -> flyway.migrate().migrationsExecuted);
  }

  /** The version the database has; empty text if it has none. */
  public static String version(DataSource database) {
    return with(
        database,
        flyway -> {
          var current = flyway.info().current();
          return current == null ? "" : current.getVersion().getVersion();
        });
  }

  /** The version this program brings a database to. */
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

  /** What the database said. Where it said nothing, the schema is not as migrations left it. */
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
