package dev.hapax.testkit.simulation;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.JoinedRecord;
import dev.hapax.domain.ledger.RecordKey;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/** The database of all simulated nodes. A batch is decided and committed at one instant. */
public final class SimulatedStore {
  private final InstantSource clock;
  private final Trace trace;
  private final HistoryObserver observer;
  private final BiConsumer<SimulatedNode, Map<RecordKey<?>, Batch.Change>> committed;
  private final Map<RecordKey<?>, Object> records = new HashMap<>();

  SimulatedStore(
      InstantSource clock,
      Trace trace,
      HistoryObserver observer,
      BiConsumer<SimulatedNode, Map<RecordKey<?>, Batch.Change>> committed) {
    this.clock = clock;
    this.trace = trace;
    this.observer = observer;
    this.committed = committed;
  }

  /** Commits a batch, and returns the commands of it that need more records. */
  List<UnansweredCall<?>> commit(SimulatedNode by, List<UnansweredCall<?>> commands) {
    var batch = new Batch(load(commands), clock.instant());
    var widened = commands.stream().filter(pending -> !decide(by, batch, pending)).toList();
    var changes = batch.changes();
    changes.forEach(this::apply);
    if (!changes.isEmpty()) {
      committed.accept(by, changes);
    }
    return widened;
  }

  private Map<RecordKey<?>, Object> load(List<UnansweredCall<?>> commands) {
    var loaded = new HashMap<RecordKey<?>, Object>();
    for (var pending : commands) {
      for (var key : pending.command().keys()) {
        var found = records.get(key);
        if (found != null) {
          loaded.put(
              key, found instanceof JoinedRecord some ? some.joined(key, this::find) : found);
        }
      }
    }
    return loaded;
  }

  private Optional<Object> find(RecordKey<?> key) {
    return Optional.ofNullable(records.get(key));
  }

  private boolean decide(SimulatedNode by, Batch batch, UnansweredCall<?> pending) {
    var command = pending.asked();
    var decided = pending.decide(batch);
    if (decided.isEmpty()) {
      return false;
    }
    var outcome = decided.get();
    pending
        .command()
        .keys()
        .forEach(
            key ->
                trace.add(
                    key,
                    by.name(),
                    () ->
                        "decides %s: %s"
                            .formatted(observer.describe(command), observer.describe(outcome))));
    observer.decided(command, outcome, clock.instant());
    return true;
  }

  private void apply(RecordKey<?> key, Batch.Change change) {
    if (change.after() == null) {
      records.remove(key);
    } else {
      records.put(key, change.after());
    }
  }

  /** Returns all records, which callers must not change. */
  public Map<RecordKey<?>, Object> records() {
    return records;
  }

  /** Removes a record without a decision or notification, like a dropped partition. */
  public void remove(RecordKey<?> key) {
    records.remove(key);
    trace.add(key, "store", () -> "drops the record");
    observer.removed(key, clock.instant());
  }
}
