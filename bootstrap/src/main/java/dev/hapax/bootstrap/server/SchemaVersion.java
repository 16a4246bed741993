package dev.hapax.bootstrap.server;

import dev.hapax.postgres.schema.MigrationException;
import dev.hapax.postgres.schema.Migrations;
import java.util.Optional;
import javax.sql.DataSource;

/** Whether the schema of a database is one that this version works with: not an older one. */
final class SchemaVersion {
  private final DataSource database;

  /** Never changes, but Flyway takes several queries to find it. */
  private volatile Optional<String> wanted = Optional.empty();

  SchemaVersion(DataSource database) {
    this.database = database;
  }

  /** What is wrong with it; blocks. */
  Optional<String> problem() {
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
      return Optional.of("is missing: `hapax migrate` creates it");
    }
    return Integer.parseInt(found) < Integer.parseInt(wanted)
        ? Optional.of(
            "has version %s, this server needs %s: `hapax migrate`".formatted(found, wanted))
        : Optional.empty();
  }
}
