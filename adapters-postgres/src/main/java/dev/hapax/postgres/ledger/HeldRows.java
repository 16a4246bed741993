package dev.hapax.postgres.ledger;

import dev.hapax.postgres.ledger.RecordTable.Held;
import java.util.List;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * Locks the rows of a table in the order in which they are sent, and fails unless those of
 * remembered records have the versions that were sent.
 */
public final class HeldRows<K> {
  private final UnnestRows<Held<K>> rows;
  private final String statement;

  /**
   * Locks rows of this table.
   *
   * @param key the columns of its primary key
   * @param sent the same, from a key
   */
  public HeldRows(Table<?> table, List<? extends Field<?>> key, List<Column<K>> sent) {
    this.rows =
        new UnnestRows<>(
            "u",
            Stream.concat(
                    sent.stream().map(column -> column.of(Held<K>::key)),
                    Stream.of(RowVersion.column(Held<K>::version)))
                .toList());
    this.statement =
        RenderedSql.exactly(
            table.getName(),
            RowVersion.WRITER,
            DSL.select(RowVersion.sent(rows, table))
                .from(rows.writeSource(), table)
                .where(RowVersion.isSentOrAny(table, rows, key))
                .forUpdate()
                .of(table));
  }

  /** Adds the statement for these rows, given in lock order. */
  public void hold(Pipeline pipeline, List<Held<K>> held) {
    var values = rows.parameters(held);
    values.add(held.stream().filter(row -> row.version() != null).count());
    pipeline.write(statement, values);
  }
}
