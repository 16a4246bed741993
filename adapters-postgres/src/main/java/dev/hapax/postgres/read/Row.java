package dev.hapax.postgres.read;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** Reads the columns of a row as types of the domain. */
public record Row(ResultSet row) {

  public String text(Field<String> field) throws SQLException {
    return some(field, row.getString(field.getName()));
  }

  public Optional<String> optionalText(Field<String> field) throws SQLException {
    return Optional.ofNullable(row.getString(field.getName()));
  }

  public Instant instant(Field<OffsetDateTime> field) throws SQLException {
    return optionalInstant(field).orElseThrow(() -> none(field));
  }

  public Optional<Instant> optionalInstant(Field<OffsetDateTime> field) throws SQLException {
    return Optional.ofNullable(row.getObject(field.getName(), OffsetDateTime.class))
        .map(OffsetDateTime::toInstant);
  }

  public UUID uuid(Field<UUID> field) throws SQLException {
    return some(field, row.getObject(field.getName(), UUID.class));
  }

  public Optional<UUID> optionalUuid(Field<UUID> field) throws SQLException {
    return Optional.ofNullable(row.getObject(field.getName(), UUID.class));
  }

  public long number(Field<? extends Number> field) throws SQLException {
    return optionalNumber(field).orElseThrow(() -> none(field));
  }

  public int integer(Field<? extends Number> field) throws SQLException {
    return Math.toIntExact(number(field));
  }

  public Optional<Long> optionalNumber(Field<? extends Number> field) throws SQLException {
    var value = row.getLong(field.getName());
    return row.wasNull() ? Optional.empty() : Optional.of(value);
  }

  public boolean flag(Field<Boolean> field) throws SQLException {
    return row.getBoolean(field.getName());
  }

  /** The texts of an array; null = none. */
  public List<String> texts(Field<String[]> field) throws SQLException {
    var array = row.getArray(field.getName());
    return array == null ? List.of() : List.of((String[]) array.getArray());
  }

  /** The UUIDs of an array; null = none. */
  public List<UUID> uuids(Field<UUID[]> field) throws SQLException {
    var array = row.getArray(field.getName());
    return array == null ? List.of() : List.of((UUID[]) array.getArray());
  }

  /** The payload of one of the two columns. */
  public Optional<Payload> payload(Field<String> json, Field<byte[]> bytes) throws SQLException {
    var text = row.getString(json.getName());
    return text == null
        ? Optional.ofNullable(row.getBytes(bytes.getName())).map(Payload.Binary::new)
        : Optional.of(new Payload.Json(text));
  }

  public Optional<Failure> failure(
      Field<String> code, Field<String> message, Optional<Payload> details) throws SQLException {
    var found = optionalText(code);
    return found.isEmpty()
        ? Optional.empty()
        : Optional.of(new Failure(found.get(), text(message), details));
  }

  /** The connection of the row, for queries in the same transaction. */
  public Connection connection() throws SQLException {
    return row.getStatement().getConnection();
  }

  private static <T> T some(Field<?> field, @Nullable T value) {
    if (value == null) {
      throw none(field);
    }
    return value;
  }

  private static IllegalStateException none(Field<?> field) {
    return new IllegalStateException("column is null: " + field.getName());
  }
}
