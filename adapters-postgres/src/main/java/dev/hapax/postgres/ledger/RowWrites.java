package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.postgres.ledger.RecordTable.Write;
import java.util.List;
import java.util.function.Function;
import org.jooq.Field;
import org.jooq.Table;
import org.jspecify.annotations.Nullable;

/** The statements that write one row for each record: one inserts new rows, one updates others. */
public final class RowWrites<K extends RecordKey<R>, R> {
  private final UnnestRows<Write<K, R>> written;
  private final Insertion<Write<K, R>> insertion;
  private final @Nullable String update;

  private RowWrites(Table<?> table, UnnestRows<Write<K, R>> written, @Nullable String update) {
    this.written = written;
    this.insertion = new Insertion<>(table, written);
    this.update = update;
  }

  /**
   * Returns the writes of a table whose rows change.
   *
   * @param update takes {@code written} as parameters, see {@link RenderedSql#exactly}
   */
  public static <K extends RecordKey<R>, R> RowWrites<K, R> of(
      Table<?> table, UnnestRows<Write<K, R>> written, String update) {
    return new RowWrites<>(table, written, update);
  }

  /** Returns the writes of a table whose rows never change. */
  public static <K extends RecordKey<R>, R> RowWrites<K, R> once(
      Table<?> table, UnnestRows<Write<K, R>> written) {
    return new RowWrites<>(table, written, null);
  }

  /** A column that has a part of the record. */
  public static <K extends RecordKey<R>, R> Column<Write<K, R>> column(
      Field<?> field, Column.Kind kind, Function<R, @Nullable Object> part) {
    return new Column<>(field.getName(), kind, write -> part.apply(write.kept()));
  }

  /** Adds the insert of the rows that are new. */
  public void insert(Pipeline pipeline, List<Write<K, R>> writes) {
    insertion.add(pipeline, writes.stream().filter(Write::isNew).toList());
  }

  /** Adds the update of the others. */
  public void change(Pipeline pipeline, List<Write<K, R>> writes) {
    var changed = writes.stream().filter(write -> !write.isNew()).toList();
    if (update != null) {
      pipeline.write(update, written, changed);
    } else if (!changed.isEmpty()) {
      throw new IllegalArgumentException(changed.getFirst().key() + " cannot change");
    }
  }
}
