package dev.hapax.postgres.ledger;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jooq.Field;
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
  private final List<Field<?>> returned;
  private final Map<BitSet, String> statements = new ConcurrentHashMap<>();

  public Insertion(Table<?> table, UnnestRows<R> sent) {
    this(table, sent, List.of());
  }

  private Insertion(Table<?> table, UnnestRows<R> sent, List<Field<?>> returned) {
    this.table = table;
    this.sent = sent;
    this.returned = returned;
  }

  /** The same insert, which returns these columns of each row. */
  public Insertion<R> returning(List<Field<?>> columns) {
    return new Insertion<>(table, sent, columns);
  }

  /** Adds the insert of these rows; nothing if there are none. */
  public void add(Pipeline pipeline, List<R> rows) {
    add(pipeline, rows, _ -> {});
  }

  /** Adds the insert of these rows, and reads what it returns. */
  public void add(Pipeline pipeline, List<R> rows, Pipeline.Rows reader) {
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
      var statement = statements.computeIfAbsent(filled, this::statement);
      if (returned.isEmpty()) {
        pipeline.add(statement, values);
      } else {
        pipeline.query(statement, values, reader);
      }
    }
  }

  private String statement(BitSet columns) {
    var filled = sent.only(columns);
    var insert =
        DSL.insertInto(table, filled.names())
            .select(DSL.select(filled.all()).from(filled.writeSource()));
    return RenderedSql.text(returned.isEmpty() ? insert : insert.returning(returned));
  }
}
