package dev.hapax.postgres.ledger;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * A select that leaves large values out after a number of bytes. It returns every row, and the
 * first one always has its values.
 */
public final class SizeBoundedSelect {
  private static final long BYTES = 4L << 20;
  private static final Field<Long> BEFORE_IT = DSL.field(DSL.name("before_it"), SQLDataType.BIGINT);

  private SizeBoundedSelect() {}

  /**
   * Selects the same columns in the same order, and one more.
   *
   * @param rows what is selected from
   * @param order of the rows, one of their columns
   * @param large the columns that are counted, and left out
   */
  public static Select<?> of(Select<?> rows, Field<?> order, List<? extends Field<?>> large) {
    return of(rows.asTable("rows"), order, large);
  }

  private static Select<?> of(Table<?> rows, Field<?> order, List<? extends Field<?>> large) {
    var names = large.stream().map(Field::getName).toList();
    var counted =
        DSL.select(rows.fields())
            .select(before(rows, order, names).as(BEFORE_IT))
            .from(rows)
            .asTable("counted");
    return DSL.select(
            Stream.of(rows.fields())
                .map(
                    field ->
                        names.contains(field.getName())
                            ? DSL.when(
                                    BEFORE_IT.lt(DSL.inline(BYTES)), counted.field(field.getName()))
                                .as(field.getName())
                            : counted.field(field.getName()))
                .toList())
        .select(BEFORE_IT)
        .from(counted)
        .orderBy(DSL.field(DSL.name(order.getName())));
  }

  private static Field<Long> before(Table<?> rows, Field<?> order, List<String> names) {
    var size =
        names.stream()
            .<Field<Integer>>map(
                name ->
                    DSL.coalesce(
                        DSL.field("octet_length({0})", Integer.class, rows.field(name)),
                        DSL.inline(0)))
            .reduce(Field::plus)
            .orElseThrow();
    var sum =
        DSL.sum(size)
            .over()
            .orderBy(rows.field(order.getName()))
            .rowsBetweenUnboundedPreceding()
            .andPreceding(1);
    return DSL.coalesce(sum, DSL.inline(BigDecimal.ZERO)).cast(SQLDataType.BIGINT);
  }

  /** Whether the large values of this row were left out. */
  public static boolean isTruncated(ResultSet row) throws SQLException {
    return row.getLong(BEFORE_IT.getName()) >= BYTES;
  }
}
