package dev.hapax.bootstrap.cli.doctor;

import dev.hapax.bootstrap.database.DatabaseFinding;
import dev.hapax.postgres.schema.MigrationException;
import dev.hapax.postgres.schema.Migrations;
import javax.sql.DataSource;

/** Is the schema the one this version works with. */
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

  /** Versions are numbers; no version is a database that hapax has not seen yet. */
  static DatabaseFinding compare(String found, String wanted) {
    if (found.isEmpty()) {
      return DatabaseFinding.ok(
          SUBJECT, "none yet: `hapax serve` or `hapax migrate` creates " + wanted);
    }
    int difference = Integer.compare(Integer.parseInt(found), Integer.parseInt(wanted));
    if (difference == 0) {
      return DatabaseFinding.ok(SUBJECT, "version " + found);
    }
    var text = "version " + found + ", this hapax works with " + wanted + ": ";
    return DatabaseFinding.warn(
        SUBJECT,
        difference < 0
            ? text + "`hapax serve` or `hapax migrate` brings it there"
            : text + "a newer hapax was here, use that one");
  }
}
