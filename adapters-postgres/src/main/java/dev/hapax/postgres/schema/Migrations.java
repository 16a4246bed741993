package dev.hapax.postgres.schema;

import java.util.Arrays;
import java.util.Comparator;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/** Brings a database to the schema this version needs. Forward only. */
public final class Migrations {
  /** Everything of Hapax is in this schema. */
  public static final String SCHEMA = "hapax";

  private Migrations() {}

  /** Applies what is missing; returns how many migrations that were. */
  public static int migrate(DataSource database) {
    return configure(database).load().migrate().migrationsExecuted;
  }

  /** The version the database has; empty text if it has none. */
  public static String version(DataSource database) {
    var current = configure(database).load().info().current();
    return current == null ? "" : current.getVersion().getVersion();
  }

  /** The version this program brings a database to. */
  public static String wanted(DataSource database) {
    return Arrays.stream(configure(database).load().info().all())
        .filter(migration -> migration.getState().isResolved() && migration.isVersioned())
        .map(MigrationInfo::getVersion)
        .max(Comparator.naturalOrder())
        .orElseThrow()
        .getVersion();
  }

  private static FluentConfiguration configure(DataSource database) {
    return Flyway.configure()
        .dataSource(database)
        .schemas(SCHEMA)
        .locations("classpath:db/migration")
        .cleanDisabled(true);
  }
}
