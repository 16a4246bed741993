package dev.hapax.postgres.run;

import dev.hapax.domain.Payload;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** A payload in one of two columns, so that JSON is readable in the database. */
public final class PayloadColumns {
  private PayloadColumns() {}

  public static <R> List<Column<R>> of(
      Field<String> json, Field<byte[]> bytes, Function<R, Optional<Payload>> payload) {
    return List.of(
        new Column<>(json.getName(), Kind.TEXT, row -> json(payload.apply(row))),
        new Column<>(bytes.getName(), Kind.BYTES, row -> bytes(payload.apply(row))));
  }

  private static @Nullable String json(Optional<Payload> payload) {
    return payload.orElse(null) instanceof Payload.Json json ? json.text() : null;
  }

  private static byte @Nullable [] bytes(Optional<Payload> payload) {
    return payload.orElse(null) instanceof Payload.Binary binary ? binary.bytes() : null;
  }
}
