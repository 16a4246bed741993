package dev.hapax.postgres.run;

import dev.hapax.domain.SourceHook;
import dev.hapax.postgres.read.Row;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** The source token of an event or a signal in two columns: its hash and its name, null = none. */
final class SourceColumns {
  private SourceColumns() {}

  static @Nullable String text(String name) {
    return name.isEmpty() ? null : name;
  }

  static @Nullable String text(Optional<SourceHook> hook) {
    return hook.map(source -> text(source.name())).orElse(null);
  }

  static String name(Row row, Field<String> name) throws SQLException {
    return row.optionalText(name).orElse("");
  }

  static Optional<SourceHook> source(Row row, Field<UUID> hash, Field<String> name)
      throws SQLException {
    var found = row.optionalUuid(hash);
    return found.isEmpty()
        ? Optional.empty()
        : Optional.of(new SourceHook(found.get(), name(row, name)));
  }
}
