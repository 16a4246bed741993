package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.postgres.ledger.RecordMemory.Remembered;
import dev.hapax.postgres.ledger.RecordTable.Held;
import dev.hapax.postgres.ledger.RecordTable.Loading;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The records of a batch: loaded, remembered, or taken for absent. */
final class BatchLoad {
  /** Beside loaded rows: another statement costs as much as to load a few rows more. */
  private static final int MIN_HELD = 8;

  private final List<TableLoad<?, ?>> loads;
  private final Set<RecordKey<?>> guessed;
  private final NewKeyGuess guess;

  private BatchLoad(List<TableLoad<?, ?>> loads, Set<RecordKey<?>> guessed, NewKeyGuess guess) {
    this.loads = loads;
    this.guessed = guessed;
    this.guess = guess;
  }

  static BatchLoad of(
      List<RecordTable<?, ?>> tables,
      Collection<QueuedCommand<?>> commands,
      boolean isRepeated,
      NewKeyGuess guess) {
    var keys = new HashMap<Class<?>, Set<RecordKey<?>>>();
    var changing = new HashSet<RecordKey<?>>();
    var certain = new HashSet<RecordKey<?>>();
    for (var command : commands) {
      for (var key : command.keys()) {
        if (isRepeated || !command.isNew(key)) {
          keys.computeIfAbsent(key.getClass(), _ -> new HashSet<>()).add(key);
        }
        if (!command.isShared(key)) {
          changing.add(key);
        }
        if (isRepeated || !command.isIdempotencyKey(key)) {
          certain.add(key);
        }
      }
    }
    var guessed = new HashSet<RecordKey<?>>();
    Predicate<RecordKey<?>> isGuessedNew =
        key -> !certain.contains(key) && guess.isNew(key) && guessed.add(key);
    var loads = new ArrayList<TableLoad<?, ?>>();
    for (var table : tables) {
      var own = keys.get(table.keys());
      if (own != null) {
        var isShared = own.stream().noneMatch(changing::contains);
        loads.add(tableLoad(table, own, isShared, isRepeated, isGuessedNew));
      }
    }
    // behind a lock of a later table, this one's would be out of order
    var locksLater = false;
    for (var load : loads.reversed()) {
      load.plan(locksLater);
      locksLater |= load.locksFirst();
    }
    return new BatchLoad(loads, guessed, guess);
  }

  private static <K extends RecordKey<R>, R> TableLoad<K, R> tableLoad(
      RecordTable<K, R> table,
      Set<RecordKey<?>> own,
      boolean isShared,
      boolean isRepeated,
      Predicate<RecordKey<?>> isGuessedNew) {
    var load = new TableLoad<>(table, isShared);
    for (var each : own) {
      var key = table.keys().cast(each);
      var assumed = table.lastRead(key);
      if (assumed.isPresent() && !isRepeated) {
        load.assume(key, assumed.get());
        continue;
      }
      var remembered = load.take(key);
      if (remembered.isPresent() && !isRepeated) {
        load.remembered.put(key, remembered.get());
      } else if (!isGuessedNew.test(key)) {
        load.keys.add(key);
      }
    }
    return load;
  }

  /** Whether the batch can be decided without a query: nothing has to be read. */
  boolean isKnown() {
    return loads.stream().allMatch(load -> load.keys.isEmpty());
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

  /**
   * Locks what is remembered and not locked yet, unless the writes lock these rows, and no row of a
   * later table has to be locked before them.
   */
  void holdOthers(Pipeline pipeline, Set<RecordKey<?>> lockedByWrites) {
    var held = new ArrayDeque<TableLoad<?, ?>>();
    for (var load : loads.reversed()) {
      if (load.isLockedByWrites
          && !(held.isEmpty() && lockedByWrites.containsAll(load.remembered.keySet()))) {
        held.addFirst(load);
      }
    }
    held.forEach(load -> load.hold(pipeline));
  }

  /** Adds the checks that what was read for earlier batches is still so. */
  void confirm(Pipeline pipeline) {
    loads.forEach(load -> load.confirm(pipeline));
  }

  boolean isGuessing() {
    return !guessed.isEmpty();
  }

  /** Whether some rows are locked only when they are written, so behind what others wait for. */
  boolean isLockedByWrites() {
    return loads.stream().anyMatch(load -> load.isLockedByWrites);
  }

  /**
   * Whether these decisions insert each record that was taken for absent: the insert fails if it is
   * not.
   */
  boolean isProvenBy(
      Collection<QueuedCommand<?>> decided, Map<RecordKey<?>, Batch.Change> changes) {
    return decided.stream()
        .flatMap(command -> command.keys().stream())
        .allMatch(key -> !guessed.contains(key) || changes.containsKey(key));
  }

  /** The batch was rolled back: what was read for earlier batches may have changed. */
  void forgetAssumed() {
    loads.forEach(TableLoad::forgetAssumed);
  }

  /**
   * The batch was rolled back: what was remembered or guessed may be wrong. Without memory, the
   * next batch shows whether the guesses are.
   *
   * @param areRowsMissing whether a check found too few rows
   */
  void failed(boolean areRowsMissing) {
    var remembering = loads.stream().filter(load -> !load.remembered.isEmpty()).toList();
    remembering.forEach(TableLoad::failed);
    if (!guessed.isEmpty() && !(areRowsMissing && !remembering.isEmpty())) {
      guess.failed();
    }
  }

  /** The rows that were loaded from a table. */
  @SuppressWarnings("unchecked") // the load of a table has its types
  <K extends RecordKey<R>, R> Optional<TableLoad<K, R>> of(RecordTable<K, R> table) {
    return loads.stream()
        .filter(load -> load.table.equals(table))
        .map(load -> (TableLoad<K, R>) load)
        .findFirst();
  }

  /** The records of one table. */
  static final class TableLoad<K extends RecordKey<R>, R> implements Loading<K, R> {
    private final RecordTable<K, R> table;
    private final boolean isShared;
    private final List<K> keys = new ArrayList<>();
    private final Map<K, R> records = new HashMap<>();
    private final Map<K, RowVersion> versions = new HashMap<>();
    private final Map<K, Remembered<R>> remembered = new HashMap<>();
    private final Map<K, R> assumed = new HashMap<>();
    private final Set<K> deferred = new HashSet<>();
    private final Map<K, RecordKey<?>> pending = new HashMap<>();
    private boolean isLockedByWrites;

    private TableLoad(RecordTable<K, R> table, boolean isShared) {
      this.table = table;
      this.isShared = isShared;
    }

    private Optional<Remembered<R>> take(K key) {
      return table.memory().flatMap(memory -> memory.take(key));
    }

    private void assume(K key, R record) {
      assumed.put(key, record);
      found(key, record);
    }

    private void confirm(Pipeline pipeline) {
      if (!assumed.isEmpty()) {
        table.confirm(pipeline, assumed);
      }
    }

    private void plan(boolean locksLater) {
      if (!keys.isEmpty() && remembered.size() < MIN_HELD) {
        keys.addAll(remembered.keySet());
        remembered.clear();
      }
      keys.sort(table.lockOrder());
      remembered.forEach((key, found) -> found(key, found.record(), found.version()));
      isLockedByWrites = keys.isEmpty() && !remembered.isEmpty() && !locksLater;
    }

    private boolean locksFirst() {
      return !isLockedByWrites && !(keys.isEmpty() && remembered.isEmpty());
    }

    private void lock(Pipeline pipeline) {
      if (isLockedByWrites) {
        return;
      }
      if (!remembered.isEmpty()) {
        // all rows in one order, also those that are loaded then
        hold(pipeline);
      }
      if (!keys.isEmpty() && isShared) {
        table.share(pipeline, keys, this);
      } else if (!keys.isEmpty()) {
        table.lock(pipeline, keys, this);
      }
    }

    private void hold(Pipeline pipeline) {
      var rows =
          Stream.concat(
                  remembered.entrySet().stream()
                      .map(found -> new Held<>(found.getKey(), found.getValue().version())),
                  keys.stream().map(key -> new Held<>(key, null)))
              .sorted(Comparator.comparing(Held::key, table.lockOrder()))
              .toList();
      table.hold(pipeline, rows);
    }

    private void lookUp(Pipeline pipeline) {
      var absent = keys.stream().filter(key -> !records.containsKey(key)).toList();
      if (!absent.isEmpty()) {
        table.lookUp(pipeline, absent, this);
      }
    }

    private void forgetAssumed() {
      table.forget(assumed.keySet());
    }

    private void failed() {
      table.memory().ifPresent(RecordMemory::pause);
    }

    Optional<RowVersion> version(K key) {
      return Optional.ofNullable(versions.get(key));
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
}
