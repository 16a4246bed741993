package dev.hapax.postgres.ledger;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * An insert of rows that are absent. It writes each of them or fails, so they are not counted.
 * Columns that are null in all of them are not sent: most rows use half of their columns, and each
 * one costs as much as a value.
 *
 * @param <R> the rows
 */
public final class Insertion<R> {
  private final Table<?> table;
  private final UnnestRows<R> sent;
  private final Map<BitSet, String> statements = new ConcurrentHashMap<>();

  public Insertion(Table<?> table, UnnestRows<R> sent) {
    this.table = table;
    this.sent = sent;
  }

  /** Adds the insert of these rows; nothing if there are none. */
  public void add(Pipeline pipeline, List<R> rows) {
    if (!rows.isEmpty()) {
      var filled = new BitSet();
      var values = new ArrayList<Object>();
      var columns = sent.columns();
      for (var i = 0; i < columns.size(); i++) {
        var column = columns.get(i).someValues(rows);
        if (column.isPresent()) {
          filled.set(i);
          values.add(column.get());
        }
      }
      pipeline.add(statements.computeIfAbsent(filled, this::statement), values);
    }
  }

  private String statement(BitSet columns) {
    var filled = sent.only(columns);
    return RenderedSql.text(
        DSL.insertInto(table, filled.names())
            .select(DSL.select(filled.all()).from(filled.insertSource())));
  }
}
