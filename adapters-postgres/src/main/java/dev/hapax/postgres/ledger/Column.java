package dev.hapax.postgres.ledger;

import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * One column of rows that are sent as arrays.
 *
 * @param name in the statement
 * @param kind how its values are sent
 * @param value of one row
 * @param <R> the rows
 */
public record Column<R>(String name, Kind kind, Function<R, @Nullable Object> value) {

  /** The same column of rows that have such a row as a part. */
  public <S> Column<S> of(Function<S, R> part) {
    return new Column<>(name, kind, row -> value.apply(part.apply(row)));
  }

  /** The value of the table's type, from the value as it was sent. */
  Field<?> received(String alias) {
    var sent = DSL.field(DSL.name(alias, name), kind.dataType());
    return switch (kind) {
      case INSTANT -> DSL.field("to_timestamp({0} / 1e6::float8)", Object.class, sent);
      // a cast of one text would read it by the settings of the session
      case UUIDS -> DSL.field("string_to_array({0}, ',')::uuid[]", Object.class, sent);
      default -> sent;
    };
  }

  Values values(List<? extends R> rows) {
    return someValues(rows).orElseGet(() -> new Values(kind.type, kind.array(rows.size())));
  }

  /** The values; empty = all are null, as in half of the columns of most tables. */
  Optional<Values> someValues(List<? extends R> rows) {
    @Nullable Object[] elements = null;
    for (var i = 0; i < rows.size(); i++) {
      var element = sent(value.apply(rows.get(i)));
      if (element != null) {
        elements = elements == null ? kind.array(rows.size()) : elements;
        elements[i] = element;
      }
    }
    return Optional.ofNullable(elements).map(some -> new Values(kind.type, some));
  }

  private static @Nullable Object sent(@Nullable Object value) {
    return switch (value) {
      case Instant instant -> ChronoUnit.MICROS.between(Instant.EPOCH, instant);
      case LocalDate date -> date.toString();
      case Collection<?> uuids ->
          uuids.stream().map(Object::toString).collect(Collectors.joining(","));
      case null -> null;
      default -> value;
    };
  }

  /** The values of one column, as the driver takes them. */
  static final class Values {
    private final String type;
    private final @Nullable Object[] elements;

    private Values(String type, @Nullable Object[] elements) {
      this.type = type;
      this.elements = elements;
    }

    String type() {
      return type;
    }

    @Nullable Object[] elements() {
      return elements;
    }
  }

  /**
   * How values are sent. Instants go as microseconds: a timestamp array would be printed and
   * parsed.
   */
  public enum Kind {
    TEXT("varchar"),
    UUID("uuid"),
    /** An array of UUIDs, as text: an array of arrays would be unnested at once. */
    UUIDS("varchar"),
    LONG("int8"),
    INT("int4"),
    SHORT("int2"),
    BOOL("bool"),
    BYTES("bytea"),
    INSTANT("int8"),
    DATE("date"),
    /** The id of a transaction. */
    TRANSACTION("xid");

    private final String type;

    Kind(String type) {
      this.type = type;
    }

    String type() {
      return type;
    }

    private DataType<?> dataType() {
      return switch (this) {
        case TEXT, UUIDS -> SQLDataType.VARCHAR;
        case UUID -> SQLDataType.UUID;
        case LONG, INSTANT -> SQLDataType.BIGINT;
        case INT -> SQLDataType.INTEGER;
        case SHORT -> SQLDataType.SMALLINT;
        case BOOL -> SQLDataType.BOOLEAN;
        case BYTES -> SQLDataType.BLOB;
        case DATE -> SQLDataType.LOCALDATE;
        case TRANSACTION -> SQLDataType.OTHER;
      };
    }

    private @Nullable Object[] array(int size) {
      return switch (this) {
        case TEXT, UUIDS, DATE, TRANSACTION -> new String[size];
        case UUID -> new UUID[size];
        case LONG, INSTANT -> new Long[size];
        case INT -> new Integer[size];
        case SHORT -> new Short[size];
        case BOOL -> new Boolean[size];
        case BYTES -> new byte[size][];
      };
    }
  }
}
