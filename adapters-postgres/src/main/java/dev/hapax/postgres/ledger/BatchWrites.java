package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.postgres.ledger.RecordTable.Write;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The writes of a batch. */
final class BatchWrites {
  private final List<TableWrites<?, ?>> writes;

  private BatchWrites(List<TableWrites<?, ?>> writes) {
    this.writes = writes;
  }

  static BatchWrites of(
      List<RecordTable<?, ?>> tables,
      BatchLoad load,
      Map<Class<?>, Map<RecordKey<?>, Batch.Change>> changes) {
    return new BatchWrites(
        tables.stream()
            .filter(table -> changes.containsKey(table.keys()))
            .<TableWrites<?, ?>>map(
                table ->
                    new TableWrites<>(table, load, changes.getOrDefault(table.keys(), Map.of())))
            .toList());
  }

  /** Returns the writes of the first table that cannot write all of its records yet. */
  Optional<PostponedBatch> postponed() {
    return writes.stream().map(TableWrites::postponed).flatMap(Optional::stream).findFirst();
  }

  /** The keys of the rows that the changes lock in lock order. */
  Set<RecordKey<?>> lockedInOrder() {
    var locked = new HashSet<RecordKey<?>>();
    writes.forEach(table -> table.addLockedInOrder(locked));
    return locked;
  }

  /** Adds the statements, all inserts before all changes. */
  void addTo(Pipeline pipeline) {
    writes.forEach(table -> table.insert(pipeline));
    writes.forEach(table -> table.change(pipeline));
    writes.forEach(table -> table.verify(pipeline));
  }

  private static final class TableWrites<K extends RecordKey<R>, R> {
    private final RecordTable<K, R> table;
    private final List<Write<K, R>> writes;

    TableWrites(RecordTable<K, R> table, BatchLoad load, Map<RecordKey<?>, Batch.Change> changes) {
      this.table = table;
      var loaded = load.of(table);
      var sorted = new TreeMap<K, Write<K, R>>(table.lockOrder());
      changes.forEach(
          (changed, change) -> {
            var key = table.keys().cast(changed);
            var version = loaded.flatMap(found -> found.version(key)).orElse(null);
            sorted.put(key, write(key, change, version));
          });
      this.writes = List.copyOf(sorted.values());
    }

    @SuppressWarnings("unchecked") // a key's type parameter is its record's type
    private Write<K, R> write(K key, Batch.Change change, @Nullable RowVersion replaced) {
      return new Write<>(key, (R) change.before(), (R) change.after(), replaced);
    }

    Optional<PostponedBatch> postponed() {
      return table.postponed(writes);
    }

    void addLockedInOrder(Set<RecordKey<?>> locked) {
      if (table.changesInOrder(writes)) {
        writes.stream().filter(write -> !write.isNew()).map(Write::key).forEach(locked::add);
      }
    }

    void insert(Pipeline pipeline) {
      table.insert(pipeline, writes);
    }

    void change(Pipeline pipeline) {
      table.change(pipeline, writes);
    }

    void verify(Pipeline pipeline) {
      table.verify(pipeline, writes);
    }
  }
}
