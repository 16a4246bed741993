package dev.hapax.postgres.ledger;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * One version of a row, by the transaction that wrote it: each update, by any session, makes
 * another one. So a write that names the version of what was read changes nothing else. A
 * transaction of the ledger leaves one version of a row.
 *
 * @param writer the transaction, {@code xmin}
 */
public record RowVersion(String writer) {
  private static final String WRITER = "writer";

  /** Selects the version of a row, or returns it from a write. */
  public static Field<?> of(Table<?> table) {
    return writer(table).as(WRITER);
  }

  /** Reads what {@link #of} selects. */
  public static RowVersion read(ResultSet row) throws SQLException {
    return new RowVersion(row.getString(WRITER));
  }

  /** Sends versions. */
  public static <R> Column<R> column(Function<R, RowVersion> version) {
    return new Column<>(WRITER, Column.Kind.TRANSACTION, row -> version.apply(row).writer());
  }

  /**
   * Whether a row has a key and its version that were sent. {@code = ANY} finds the key by its
   * index as {@code =} does, but is no condition of a join: for one, PostgreSQL could also plan a
   * scan of the whole index, and does while the table is empty.
   *
   * @param key the columns of an index
   */
  public static Condition isSent(Table<?> table, UnnestRows<?> sent, List<? extends Field<?>> key) {
    return key.stream()
        .map(column -> DSL.condition("{0} = ANY (ARRAY[{1}])", column, sent.get(column)))
        .reduce(writer(table).eq(sent.get(WRITER, writer(table))), Condition::and);
  }

  /**
   * A statement that locks rows with these keys and versions in the order in which they are sent;
   * fails as {@link RenderedSql#exactly}.
   */
  public static String hold(Table<?> table, UnnestRows<?> sent, List<? extends Field<?>> key) {
    return RenderedSql.exactly(
        table.getName(),
        DSL.select(DSL.one())
            .from(sent.writeSource(), table)
            .where(isSent(table, sent, key))
            .forUpdate()
            .of(table));
  }

  private static Field<Object> writer(Table<?> table) {
    return DSL.field(table.getQualifiedName().append("xmin"), Object.class);
  }
}
