package dev.hapax.postgres.ledger;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * One version of a row, by the transaction that wrote it: each update, by any session, makes
 * another one. So a write that names the version of what was read changes nothing else. A
 * transaction of the ledger leaves one version of a row.
 *
 * @param writer the transaction, {@code xmin}
 */
public record RowVersion(String writer) {
  static final String WRITER = "writer";

  /** Selects the version of a row, or returns it from a write. */
  public static Field<?> of(Table<?> table) {
    return writer(table).as(WRITER);
  }

  /** Reads what {@link #of} selects. */
  public static RowVersion read(ResultSet row) throws SQLException {
    return new RowVersion(row.getString(WRITER));
  }

  /** Sends versions; null = any. */
  public static <R> Column<R> column(Function<R, @Nullable RowVersion> version) {
    return new Column<>(
        WRITER,
        Column.Kind.TRANSACTION,
        row -> {
          var sent = version.apply(row);
          return sent == null ? null : sent.writer();
        });
  }

  /**
   * Whether a row has a key that was sent. {@code = ANY} finds the key by its index as {@code =}
   * does, but is no condition of a join: for one, PostgreSQL could also plan a scan of the whole
   * index, and does while the table is empty.
   *
   * @param key the columns of an index
   */
  public static Condition isKey(UnnestRows<?> sent, List<? extends Field<?>> key) {
    return key.stream()
        .map(column -> DSL.condition("{0} = ANY (ARRAY[{1}])", column, sent.get(column)))
        .reduce(DSL.noCondition(), Condition::and);
  }

  /** Whether a row has a {@linkplain #isKey key} and its version that were sent. */
  public static Condition isSent(Table<?> table, UnnestRows<?> sent, List<? extends Field<?>> key) {
    return writer(table).eq(sent(sent, table)).and(isKey(sent, key));
  }

  /** As {@link #isSent}, and rows of any version for which none was sent. */
  static Condition isSentOrAny(Table<?> table, UnnestRows<?> sent, List<? extends Field<?>> key) {
    var version = sent(sent, table);
    return version.isNull().or(version.eq(writer(table))).and(isKey(sent, key));
  }

  /** The version that was sent for a row of this table. */
  static Field<Object> sent(UnnestRows<?> sent, Table<?> table) {
    return sent.get(WRITER, writer(table));
  }

  private static Field<Object> writer(Table<?> table) {
    return DSL.field(table.getQualifiedName().append("xmin"), Object.class);
  }
}
