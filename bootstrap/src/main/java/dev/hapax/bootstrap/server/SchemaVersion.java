package dev.hapax.bootstrap.server;

import dev.hapax.postgres.schema.MigrationException;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SchemaState;
import java.util.Locale;
import java.util.Optional;
import javax.sql.DataSource;

/** Checks that servers of this version can use the schema of a database. */
public record SchemaVersion(DataSource database) {

  /** Returns the problem of the schema, if any; sends one query and blocks. */
  public Optional<String> problem() {
    try {
      return problem(Migrations.state(database));
    } catch (MigrationException _) {
      return Optional.of("cannot be read");
    }
  }

  static Optional<String> problem(SchemaState state) {
    return switch (state) {
      case SchemaState.Usable _ -> Optional.empty();
      case SchemaState.Behind(var version, var _) when version == 0 ->
          Optional.of("is missing: run `hapax migrate`");
      case SchemaState.Behind(var version, var pending) ->
          Optional.of(
              String.format(
                  Locale.ROOT,
                  "has version %d, but this version needs %d: run `hapax migrate`",
                  version,
                  pending.getLast().version()));
      case SchemaState.Differs _ ->
          Optional.of(
              "differs from the migrations of this version: run `hapax migrate` for the reason");
    };
  }
}
