package dev.hapax.postgres.schema;

import java.util.List;

/** The schema of a database, compared with the migrations of this program. */
public sealed interface SchemaState {

  /**
   * Servers of this version can use it.
   *
   * @param version not older than that of this program; later migrations only expand, or a server
   *     that does not know their feature is refused when it registers
   */
  record Usable(int version) implements SchemaState {}

  /**
   * It lacks migrations.
   *
   * @param version 0 = there is no schema
   * @param pending in the order of their versions, at least one
   */
  record Behind(int version, List<ShippedMigration> pending) implements SchemaState {
    public Behind {
      pending = List.copyOf(pending);
    }
  }

  /** A migration failed, was changed or is unknown; Flyway says which. */
  record Differs() implements SchemaState {}
}
