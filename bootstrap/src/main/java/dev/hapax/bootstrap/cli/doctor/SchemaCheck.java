package dev.hapax.bootstrap.cli.doctor;

import dev.hapax.bootstrap.database.DatabaseFinding;
import dev.hapax.postgres.schema.MigrationException;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SchemaState;
import java.util.Locale;
import javax.sql.DataSource;

/** Checks that servers of this version can use the schema. */
final class SchemaCheck {
  private static final String SUBJECT = "schema";

  private SchemaCheck() {}

  static DatabaseFinding of(DataSource database) {
    try {
      return of(Migrations.state(database), Migrations.newest());
    } catch (MigrationException e) {
      return DatabaseFinding.fail(SUBJECT, "cannot be read: " + e.getMessage());
    }
  }

  /** Whether the schema is at least as new as this program. */
  static boolean isUsable(DataSource database) {
    try {
      return Migrations.state(database) instanceof SchemaState.Usable(var version)
          && version >= Migrations.newest();
    } catch (MigrationException _) {
      return false;
    }
  }

  /**
   * Describes a schema.
   *
   * @param wanted the version that this program needs
   */
  static DatabaseFinding of(SchemaState state, int wanted) {
    return switch (state) {
      case SchemaState.Usable(var version) ->
          DatabaseFinding.ok(
              SUBJECT,
              version == wanted
                  ? "version " + version
                  : String.format(
                      Locale.ROOT, "version %d; this hapax needs %d or later", version, wanted));
      case SchemaState.Behind(var version, var _) when version == 0 ->
          DatabaseFinding.ok(
              SUBJECT, "missing: `hapax serve` or `hapax migrate` creates version " + wanted);
      case SchemaState.Behind(var version, var _) ->
          DatabaseFinding.warn(
              SUBJECT,
              String.format(
                  Locale.ROOT,
                  "version %d, but this hapax needs %d: `hapax serve` or `hapax migrate` upgrades it",
                  version,
                  wanted));
      case SchemaState.Differs _ ->
          DatabaseFinding.fail(
              SUBJECT,
              "differs from the migrations of this hapax: run `hapax migrate` for the reason");
    };
  }
}
