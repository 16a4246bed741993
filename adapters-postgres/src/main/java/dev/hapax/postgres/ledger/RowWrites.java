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
  private final Insertion<Write<K, R>> insertion;
  private final UnnestRows<Write<K, R>> changed;
  private final @Nullable String update;

  private RowWrites(
      Table<?> table,
      UnnestRows<Write<K, R>> inserted,
      UnnestRows<Write<K, R>> changed,
      @Nullable String update) {
    this.insertion = new Insertion<>(table, inserted);
    this.changed = changed;
    this.update = update;
  }

  /**
   * Returns the writes of a table whose rows change.
   *
   * @param update takes {@code written} as parameters, see {@link RenderedSql#exactly}
   */
  public static <K extends RecordKey<R>, R> RowWrites<K, R> of(
      Table<?> table, UnnestRows<Write<K, R>> written, String update) {
    return of(table, written, written, update);
  }

  /**
   * Returns the writes of a table of whose rows only some columns change.
   *
   * @param update takes {@code changed} as parameters, see {@link RenderedSql#exactly}
   */
  public static <K extends RecordKey<R>, R> RowWrites<K, R> of(
      Table<?> table,
      UnnestRows<Write<K, R>> inserted,
      UnnestRows<Write<K, R>> changed,
      String update) {
    return new RowWrites<>(table, inserted, changed, update);
  }

  /** Returns the writes of a table whose rows never change. */
  public static <K extends RecordKey<R>, R> RowWrites<K, R> once(
      Table<?> table, UnnestRows<Write<K, R>> written) {
    return new RowWrites<>(table, written, written, null);
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
    var known = writes.stream().filter(write -> !write.isNew()).toList();
    if (update != null) {
      pipeline.write(update, changed, known);
    } else if (!known.isEmpty()) {
      throw new IllegalArgumentException(known.getFirst().key() + " cannot change");
    }
  }
}
