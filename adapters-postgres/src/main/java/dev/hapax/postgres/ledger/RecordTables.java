package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.postgres.ledger.RecordTable.Loading;
import dev.hapax.postgres.ledger.RecordTable.Write;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All tables of a ledger, in the one order in which every node locks and writes them. */
final class RecordTables {
  private final List<RecordTable<?, ?>> tables;
  private final Set<Class<?>> kept;

  RecordTables(List<RecordTable<?, ?>> tables) {
    this.tables = List.copyOf(tables);
    this.kept = tables.stream().map(RecordTable::keys).collect(Collectors.toUnmodifiableSet());
  }

  /** A record without a table would be decided on as absent, and lost. */
  void requireTable(Collection<? extends RecordKey<?>> keys) {
    for (var key : keys) {
      if (!kept.contains(key.getClass())) {
        throw new IllegalArgumentException("no table for " + key);
      }
    }
  }

  /**
   * Prepares to load the records of these commands.
   *
   * @param isRepeated loads all of them, also those that are remembered or should be absent
   */
  Load load(Collection<QueuedCommand<?>> commands, boolean isRepeated) {
    var keys = new HashMap<Class<?>, Set<RecordKey<?>>>();
    var changing = new HashSet<RecordKey<?>>();
    for (var pending : commands) {
      for (var key : pending.keys()) {
        if (isRepeated || !pending.isNew(key)) {
          keys.computeIfAbsent(key.getClass(), _ -> new HashSet<>()).add(key);
        }
        if (!pending.isShared(key)) {
          changing.add(key);
        }
      }
    }
    return new Load(
        tables.stream()
            .filter(table -> keys.containsKey(table.keys()))
            .<TableLoad<?, ?>>map(
                table ->
                    new TableLoad<>(
                        table, keys.getOrDefault(table.keys(), Set.of()), changing, isRepeated))
            .toList());
  }

  /** Forgets what is remembered: this session may be one of another database server. */
  void forget() {
    tables.forEach(table -> table.memory().ifPresent(RecordMemory::clear));
  }

  /** Prepares the writes of a batch, and holds the remembered records that it does not change. */
  Writes writes(Load load, Map<RecordKey<?>, Batch.Change> changes) {
    var byKey = new HashMap<Class<?>, Map<RecordKey<?>, Batch.Change>>();
    changes.forEach(
        (key, change) ->
            byKey.computeIfAbsent(key.getClass(), _ -> new HashMap<>()).put(key, change));
    return new Writes(
        tables.stream()
            .<TableWrites<?, ?>>map(
                table -> new TableWrites<>(table, load, byKey.getOrDefault(table.keys(), Map.of())))
            .toList());
  }

  /** The writes of a batch. */
  static final class Writes {
    private final List<TableWrites<?, ?>> writes;

    private Writes(List<TableWrites<?, ?>> writes) {
      this.writes = writes;
    }

    /** Returns the writes of the first table that cannot write all of its records yet. */
    Optional<PostponedBatch> postponed() {
      return writes.stream().map(TableWrites::postponed).flatMap(Optional::stream).findFirst();
    }

    /** Adds the statements, all inserts before all changes. */
    void addTo(Pipeline pipeline) {
      writes.forEach(table -> table.insert(pipeline));
      writes.forEach(table -> table.change(pipeline));
      writes.forEach(table -> table.verify(pipeline));
    }
  }

  /** The loads of a batch. */
  static final class Load {
    private final List<TableLoad<?, ?>> loads;

    private Load(List<TableLoad<?, ?>> loads) {
      this.loads = loads;
    }

    void lock(Pipeline pipeline) {
      loads.forEach(load -> load.lock(pipeline));
    }

    void lookUp(Pipeline pipeline) {
      loads.forEach(load -> load.lookUp(pipeline));
    }

    Map<RecordKey<?>, Object> records() {
      var records = new HashMap<RecordKey<?>, Object>();
      loads.forEach(load -> records.putAll(load.records));
      return records;
    }

    /** The intents that are pending on the records. */
    Map<RecordKey<?>, RecordKey<?>> pending() {
      var pending = new HashMap<RecordKey<?>, RecordKey<?>>();
      loads.forEach(load -> pending.putAll(load.pending));
      return pending;
    }

    /** Whether all of these were loaded. */
    boolean isComplete(Set<RecordKey<?>> keys) {
      return loads.stream().allMatch(load -> keys.stream().noneMatch(load.deferred::contains));
    }

    /** The batch was rolled back: what was remembered may be outdated. */
    void failed() {
      loads.forEach(TableLoad::failed);
    }

    @SuppressWarnings("unchecked") // the loads of a table have its types
    private <K extends RecordKey<R>, R> Optional<TableLoad<K, R>> of(RecordTable<K, R> table) {
      return loads.stream()
          .filter(load -> load.table.equals(table))
          .map(load -> (TableLoad<K, R>) load)
          .findFirst();
    }
  }

  private static final class TableLoad<K extends RecordKey<R>, R> implements Loading<K, R> {
    private final RecordTable<K, R> table;
    private final List<K> keys = new ArrayList<>();
    private final boolean isShared;
    private final Map<K, R> records = new HashMap<>();
    private final Map<K, RowVersion> versions = new HashMap<>();
    private final Set<K> remembered = new HashSet<>();
    private final Set<K> deferred = new HashSet<>();
    private final Map<K, RecordKey<?>> pending = new HashMap<>();

    TableLoad(
        RecordTable<K, R> table,
        Set<RecordKey<?>> own,
        Set<RecordKey<?>> changing,
        boolean isRepeated) {
      this.table = table;
      this.isShared = own.stream().noneMatch(changing::contains);
      for (var each : own) {
        var key = table.keys().cast(each);
        var known = table.memory().flatMap(memory -> memory.take(key));
        if (known.isPresent() && !isRepeated) {
          remembered.add(key);
          found(key, known.get().record(), known.get().version());
        } else {
          keys.add(key);
        }
      }
      keys.sort(table.lockOrder());
    }

    void lock(Pipeline pipeline) {
      if (keys.isEmpty()) {
        return;
      }
      if (isShared) {
        table.share(pipeline, keys, this);
      } else {
        table.lock(pipeline, keys, this);
      }
    }

    void lookUp(Pipeline pipeline) {
      var absent = keys.stream().filter(key -> !records.containsKey(key)).toList();
      if (!absent.isEmpty()) {
        table.lookUp(pipeline, absent, this);
      }
    }

    void failed() {
      if (!remembered.isEmpty()) {
        table.memory().ifPresent(RecordMemory::pause);
      }
    }

    /** The remembered records that are not among these changes. */
    List<Write<K, R>> unchanged(Set<RecordKey<?>> changed) {
      return remembered.stream()
          .filter(key -> !changed.contains(key))
          .sorted(table.lockOrder())
          .map(key -> new Write<>(key, records.get(key), records.get(key), versions.get(key)))
          .toList();
    }

    @Override
    public void found(K key, R record) {
      records.put(key, record);
    }

    @Override
    public void found(K key, R record, RowVersion version) {
      records.put(key, record);
      versions.put(key, version);
    }

    @Override
    public void deferred(K key) {
      deferred.add(key);
    }

    @Override
    public void pending(K key, RecordKey<?> intent) {
      pending.put(key, intent);
    }
  }

  private static final class TableWrites<K extends RecordKey<R>, R> {
    private final RecordTable<K, R> table;
    private final List<Write<K, R>> writes;
    private final List<Write<K, R>> unchanged;

    TableWrites(RecordTable<K, R> table, Load load, Map<RecordKey<?>, Batch.Change> changes) {
      this.table = table;
      var loaded = load.of(table);
      var sorted = new TreeMap<K, Write<K, R>>(table.lockOrder());
      changes.forEach(
          (changed, change) -> {
            var key = table.keys().cast(changed);
            var version = loaded.map(found -> found.versions.get(key)).orElse(null);
            sorted.put(key, write(key, change, version));
          });
      this.writes = List.copyOf(sorted.values());
      this.unchanged = loaded.map(found -> found.unchanged(changes.keySet())).orElse(List.of());
    }

    @SuppressWarnings("unchecked") // a key's type parameter is its record's type
    private Write<K, R> write(K key, Batch.Change change, @Nullable RowVersion replaced) {
      return new Write<>(key, (R) change.before(), (R) change.after(), replaced);
    }

    Optional<PostponedBatch> postponed() {
      return writes.isEmpty() ? Optional.empty() : table.postponed(writes);
    }

    void insert(Pipeline pipeline) {
      if (!writes.isEmpty()) {
        table.insert(pipeline, writes);
      }
    }

    void change(Pipeline pipeline) {
      if (!unchanged.isEmpty()) {
        table.hold(pipeline, unchanged);
      }
      if (!writes.isEmpty()) {
        table.change(pipeline, writes);
      }
    }

    void verify(Pipeline pipeline) {
      if (!writes.isEmpty()) {
        table.verify(pipeline, writes);
      }
    }
  }
}
