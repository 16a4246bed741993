package dev.hapax.postgres.ledger;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * An insert of rows that are absent. Columns that are null in all of them are not sent: most rows
 * use half of their columns, and each one costs as much as a value.
 *
 * @param <R> the rows
 */
public final class Insertion<R> {
  private final Table<?> table;
  private final Sent<R> sent;
  private final Map<List<Column<R>>, String> statements = new ConcurrentHashMap<>();

  public Insertion(Table<?> table, Sent<R> sent) {
    this.table = table;
    this.sent = sent;
  }

  /** Adds the insert of these rows; nothing if there are none. */
  public void add(Pipeline pipeline, List<R> rows) {
    if (!rows.isEmpty()) {
      var filled = sent.filled(rows);
      var statement = statements.computeIfAbsent(filled.columns(), _ -> statement(filled));
      pipeline.write(statement, filled, rows);
    }
  }

  private String statement(Sent<R> filled) {
    return Sql.exactly(
        table.getName(),
        DSL.insertInto(table, filled.names())
            .select(DSL.select(filled.all()).from(filled.table()))
            .returning(DSL.one()));
  }
}
