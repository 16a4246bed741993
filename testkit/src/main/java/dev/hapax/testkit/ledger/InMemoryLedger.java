package dev.hapax.testkit.ledger;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.JoinedRecord;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.UnlockedRecordsException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An in-memory ledger for tests, which executes one command at a time by the test's clock. */
public final class InMemoryLedger implements Ledger {
  private static final Logger LOG = LoggerFactory.getLogger(InMemoryLedger.class);
  private final InstantSource clock;
  private final Map<RecordKey<?>, Object> records = new HashMap<>();
  private final List<Consumer<Map<RecordKey<?>, Batch.Change>>> listeners =
      new CopyOnWriteArrayList<>();

  public InMemoryLedger(InstantSource clock) {
    this.clock = clock;
  }

  /** The time by its clock. */
  public Instant now() {
    return clock.instant();
  }

  @Override
  public <O> CompletableFuture<O> submit(Command<O> command) {
    try {
      return decide(command);
    } catch (UnlockedRecordsException e) {
      return submit(e.widened(command));
    }
  }

  private <O> CompletableFuture<O> decide(Command<O> command) {
    O outcome;
    Map<RecordKey<?>, Batch.Change> changes;
    synchronized (records) {
      try {
        var batch = new Batch(named(command), clock.instant());
        outcome = batch.decide(command);
        changes = batch.changes();
      } catch (UnlockedRecordsException e) {
        throw e;
      } catch (RuntimeException | Error e) {
        return CompletableFuture.failedFuture(
            new LedgerException.Defective("the decision of " + command.getClass() + " threw", e));
      }
      changes.forEach(this::apply);
    }
    if (!changes.isEmpty()) {
      listeners.forEach(listener -> notifyListener(listener, changes));
    }
    return CompletableFuture.completedFuture(outcome);
  }

  private Map<RecordKey<?>, Object> named(Command<?> command) {
    var named = new HashMap<RecordKey<?>, Object>();
    for (var key : command.keys()) {
      var record = records.get(key);
      if (record != null) {
        named.put(key, record instanceof JoinedRecord some ? some.joined(key, this::find) : record);
      }
    }
    return named;
  }

  private Optional<Object> find(RecordKey<?> key) {
    return Optional.ofNullable(records.get(key));
  }

  private static void notifyListener(
      Consumer<Map<RecordKey<?>, Batch.Change>> listener, Map<RecordKey<?>, Batch.Change> changed) {
    try {
      listener.accept(changed);
    } catch (RuntimeException e) {
      LOG.error("a listener to commits failed", e);
    }
  }

  private void apply(RecordKey<?> key, Batch.Change change) {
    if (change.after() == null) {
      records.remove(key);
    } else {
      records.put(key, change.after());
    }
  }

  /** Returns a snapshot of all records. */
  public Map<RecordKey<?>, Object> records() {
    synchronized (records) {
      return Map.copyOf(records);
    }
  }

  @Override
  public void onChanges(Consumer<Map<RecordKey<?>, Batch.Change>> listener) {
    listeners.add(listener);
  }

  /** Never calls the listener, because no other ledger shares the records. */
  @Override
  public void onRemoteCommit(Runnable listener) {}
}
