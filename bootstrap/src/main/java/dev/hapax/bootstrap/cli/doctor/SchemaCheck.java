package dev.hapax.bootstrap.cli.doctor;

import dev.hapax.bootstrap.database.DatabaseFinding;
import dev.hapax.postgres.schema.MigrationException;
import dev.hapax.postgres.schema.Migrations;
import javax.sql.DataSource;

/** Checks that the schema has the version of this program. */
final class SchemaCheck {
  private static final String SUBJECT = "schema";

  private SchemaCheck() {}

  static DatabaseFinding of(DataSource database) {
    try {
      return compare(Migrations.version(database), Migrations.wanted(database));
    } catch (MigrationException e) {
      return DatabaseFinding.fail(SUBJECT, "cannot be read: " + e.getMessage());
    }
  }

  /** Compares schema versions, which are numbers; an empty one means no schema. */
  static DatabaseFinding compare(String found, String wanted) {
    if (found.isEmpty()) {
      return DatabaseFinding.ok(
          SUBJECT, "missing: `hapax serve` or `hapax migrate` creates version " + wanted);
    }
    int difference = Integer.compare(Integer.parseInt(found), Integer.parseInt(wanted));
    if (difference == 0) {
      return DatabaseFinding.ok(SUBJECT, "version " + found);
    }
    var text = "version " + found + ", but this hapax needs " + wanted + ": ";
    return DatabaseFinding.warn(
        SUBJECT,
        difference < 0
            ? text + "`hapax serve` or `hapax migrate` upgrades it"
            : text + "a newer hapax has migrated it, use that version");
  }
}
