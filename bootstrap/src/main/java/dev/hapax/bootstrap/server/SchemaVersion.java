package dev.hapax.bootstrap.server;

import dev.hapax.postgres.schema.MigrationException;
import dev.hapax.postgres.schema.Migrations;
import java.util.Optional;
import javax.sql.DataSource;

/** Checks that the schema of a database is not older than this version needs. */
public final class SchemaVersion {
  private final DataSource database;

  /** Cached, since Flyway needs several queries to find it. */
  private volatile Optional<String> wanted = Optional.empty();

  public SchemaVersion(DataSource database) {
    this.database = database;
  }

  /** Returns the problem of the schema, if any; blocks. */
  public Optional<String> problem() {
    try {
      var needed = wanted.orElseGet(() -> Migrations.wanted(database));
      wanted = Optional.of(needed);
      return problem(Migrations.version(database), needed);
    } catch (MigrationException _) {
      return Optional.of("cannot be read");
    }
  }

  static Optional<String> problem(String found, String wanted) {
    if (found.isEmpty()) {
      return Optional.of("is missing: run `hapax migrate`");
    }
    return Integer.parseInt(found) < Integer.parseInt(wanted)
        ? Optional.of(
            "has version %s, but this version needs %s: run `hapax migrate`"
                .formatted(found, wanted))
        : Optional.empty();
  }
}
