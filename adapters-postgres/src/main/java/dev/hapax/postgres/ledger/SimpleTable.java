package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.RecordKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jooq.Field;
import org.jooq.Table;
import org.jspecify.annotations.Nullable;

/**
 * A table with one row for each record, which is never removed: one statement loads the rows of
 * some keys, one inserts new rows, and one updates the others.
 */
public abstract class SimpleTable<K extends RecordKey<R>, R> implements RecordTable<K, R> {
  private final Class<K> type;
  private final Comparator<K> lockOrder;
  private final UnnestRows<K> keys;
  private final String load;
  private final UnnestRows<Write<K, R>> written;
  private final Insertion<Write<K, R>> insertion;
  private final @Nullable String update;

  /**
   * Takes the statements of the table.
   *
   * @param load takes {@code keys} as parameters; its first column is the number of a key
   * @param update takes {@code written} as parameters, see {@link RenderedSql#exactly}; null = a
   *     row never changes
   */
  protected SimpleTable(
      Class<K> type,
      Comparator<K> lockOrder,
      UnnestRows<K> keys,
      String load,
      Table<?> table,
      UnnestRows<Write<K, R>> written,
      @Nullable String update) {
    this.type = type;
    this.lockOrder = lockOrder;
    this.keys = keys;
    this.load = load;
    this.written = written;
    this.insertion = new Insertion<>(table, written);
    this.update = update;
  }

  /** A column that has a part of the record. */
  protected static <K extends RecordKey<R>, R> Column<Write<K, R>> column(
      Field<?> field, Column.Kind kind, Function<R, @Nullable Object> part) {
    return new Column<>(field.getName(), kind, write -> part.apply(write.kept()));
  }

  /** Returns the record that a loaded row has. */
  protected abstract R read(K key, ResultSet row) throws SQLException;

  /** Whether this row came without its large columns. */
  protected boolean isDeferred(ResultSet row) throws SQLException {
    return false;
  }

  @Override
  public final Class<K> keys() {
    return type;
  }

  @Override
  public final Comparator<K> lockOrder() {
    return lockOrder;
  }

  @Override
  public void lock(Pipeline pipeline, List<K> locked, Loading<K, R> loading) {
    load(load, pipeline, locked, loading);
  }

  /** Adds a statement that loads rows as that of this table does. */
  protected final void load(
      String statement, Pipeline pipeline, List<K> loaded, Loading<K, R> loading) {
    pipeline.query(
        statement,
        keys.parameters(loaded),
        row -> {
          var key = LoadedKey.of(row, loaded);
          if (isDeferred(row)) {
            loading.deferred(key);
          } else {
            loading.found(key, read(key, row));
          }
        });
  }

  @Override
  public void insert(Pipeline pipeline, List<Write<K, R>> writes) {
    insertion.add(pipeline, writes.stream().filter(Write::isNew).toList());
  }

  @Override
  public final void change(Pipeline pipeline, List<Write<K, R>> writes) {
    var changed = writes.stream().filter(write -> !write.isNew()).toList();
    if (update != null) {
      pipeline.write(update, written, changed);
    } else if (!changed.isEmpty()) {
      throw new IllegalArgumentException(changed.getFirst().key() + " cannot change");
    }
  }
}
