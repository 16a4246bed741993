package dev.hapax.postgres.ledger;

import java.util.List;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Query;
import org.jooq.ResultQuery;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.conf.RenderQuotedNames;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;

/** Renders statements; each is rendered once and sent many times. */
public final class RenderedSql {
  private static final Settings SETTINGS =
      new Settings().withRenderQuotedNames(RenderQuotedNames.EXPLICIT_DEFAULT_UNQUOTED);

  private RenderedSql() {}

  public static String text(Query query) {
    return DSL.using(SQLDialect.POSTGRES, SETTINGS).render(query);
  }

  /**
   * A write that fails unless it wrote as many rows as expected; that number is the last parameter,
   * behind those of the write itself.
   *
   * @param write returning one column for each row written
   */
  public static String exactly(String what, ResultQuery<?> write) {
    return exactly(what, "*", write);
  }

  /** As {@link #exactly}, but counts only rows that have a value in this column. */
  static String exactly(String what, String counted, ResultQuery<?> write) {
    return "WITH w AS (%s) SELECT hapax.expect(?, (SELECT count(%s) FROM w), '%s')"
        .formatted(text(write), counted, what);
  }

  /**
   * As {@link #exactly}, and returns the rows of the write, each behind a column that is true.
   *
   * @param write returning columns of the rows written
   */
  public static String exactlyReturning(String what, ResultQuery<?> write) {
    return """
        WITH w AS (%s) SELECT guard.expected, w.*
        FROM (SELECT hapax.expect(?, (SELECT count(*) FROM w), '%s') AS expected) guard LEFT JOIN w ON true\
        """
        .formatted(text(write), what);
  }

  /**
   * An update of rows that are there and locked, with the guard of {@link #exactly}. It sets all
   * columns that are sent, except those of the key.
   *
   * @param condition on the row as it is, for the update to count
   */
  public static String replace(
      Table<?> table, UnnestRows<?> rows, List<? extends Field<?>> key, Condition condition) {
    var set = rows.assignments();
    key.forEach(column -> set.remove(DSL.field(DSL.name(column.getName()))));
    return exactly(
        table.getName(),
        DSL.update(table)
            .set(set)
            .from(rows.writeSource())
            .where(RowVersion.isKey(rows, key), condition)
            .returning(DSL.one()));
  }

  /**
   * Whether a row of the table is one that {@code is} finds for a sent row. A plain join can be
   * planned as a scan of the table while its statistics say that it is empty; this cannot.
   */
  public static Condition isAt(Table<?> table, UnnestRows<?> sent, Condition is) {
    var place = DSL.field("ctid", Object.class);
    var found = DSL.select(place).from(table).where(is).offset(DSL.inline(0)).asTable("found");
    return DSL.condition(
        "ctid = ANY (ARRAY({0}))",
        DSL.select(DSL.field("found.ctid")).from(sent.table(), DSL.lateral(found)));
  }
}
