package dev.hapax.domain.ledger;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides the commands of one batch in memory, one after another, each on the result of the
 * previous ones. The changes of a command that throws are rolled back.
 */
public final class Batch {
  private final Map<RecordKey<?>, Object> loaded;
  private final Map<RecordKey<?>, Object> current;

  /** The records with a pending intent, and the intent. */
  private final Map<RecordKey<?>, RecordKey<?>> pending;

  /** The records whose pending intent was taken in this batch. */
  private final Set<RecordKey<?>> settled = new HashSet<>();

  private final Instant now;

  /**
   * Creates a batch on loaded records.
   *
   * @param loaded the existing records of all keys of all commands in the batch
   * @param now the time of every decision
   */
  public Batch(Map<RecordKey<?>, Object> loaded, Instant now) {
    this(loaded, Map.of(), now);
  }

  /**
   * Creates a batch on loaded records, some of which have a pending intent.
   *
   * @param pending the intents by the records on which they are pending
   */
  public Batch(
      Map<RecordKey<?>, Object> loaded, Map<RecordKey<?>, RecordKey<?>> pending, Instant now) {
    this.loaded = loaded;
    this.current = new HashMap<>(loaded);
    this.pending = pending.isEmpty() ? Map.of() : new HashMap<>(pending);
    this.now = now;
  }

  /**
   * Decides one command. If it throws, its changes are rolled back and the exception propagates.
   *
   * @throws UnlockedRecordsException if it needs records that were not loaded
   * @throws PendingIntentException if it needs a record whose pending intent it does not name
   */
  public <O> O decide(Command<O> command) {
    var records = new CommandRecords(command.keys(), command.reads());
    try {
      var outcome = Objects.requireNonNull(command.decide(records, now), "outcome");
      records.keep();
      return outcome;
    } finally {
      records.undoUnlessKept();
    }
  }

  /**
   * The changes of the commands so far, by key, relative to the loaded records. A record whose
   * pending intent was taken is among them even if it is equal.
   */
  public Map<RecordKey<?>, Change> changes() {
    var changes = new HashMap<RecordKey<?>, Change>();
    current.forEach(
        (key, after) -> {
          var before = loaded.get(key);
          if (!after.equals(before)) {
            changes.put(key, new Change(before, after));
          }
        });
    loaded.forEach(
        (key, before) -> {
          if (!current.containsKey(key)) {
            changes.put(key, new Change(before, null));
          }
        });
    settled.forEach(key -> changes.putIfAbsent(key, new Change(loaded.get(key), current.get(key))));
    return changes;
  }

  /** A record before and after a change; null = absent. */
  public record Change(@Nullable Object before, @Nullable Object after) {}

  private final class CommandRecords implements BatchRecords {
    private final Collection<? extends RecordKey<?>> named;
    private final Collection<? extends RecordKey<?>> onlyRead;
    private final Map<RecordKey<?>, @Nullable Object> undo = new HashMap<>(4);
    private boolean kept;

    CommandRecords(
        Collection<? extends RecordKey<?>> named, Collection<? extends RecordKey<?>> onlyRead) {
      this.named = named;
      this.onlyRead = onlyRead;
    }

    @Override
    public void lock(Collection<? extends RecordKey<?>> keys) {
      require(keys, false);
    }

    @Override
    public void share(Collection<? extends RecordKey<?>> keys) {
      require(keys, true);
    }

    private void require(Collection<? extends RecordKey<?>> keys, boolean shared) {
      var unlocked = keys.stream().filter(key -> !isLocked(key)).toList();
      if (!unlocked.isEmpty()) {
        throw new UnlockedRecordsException(unlocked, shared);
      }
    }

    /** By this command, or by another one of the batch that named a record which exists. */
    private boolean isLocked(RecordKey<?> key) {
      return named.contains(key) || current.containsKey(key);
    }

    @Override
    @SuppressWarnings("unchecked") // a key's type parameter is its record's type
    public <R> Optional<R> get(RecordKey<R> key) {
      requireUsable(key);
      return Optional.ofNullable((R) current.get(key));
    }

    @Override
    public <R> void put(RecordKey<R> key, R record) {
      requireOwn(key);
      remember(key, current.put(key, Objects.requireNonNull(record, "record")));
    }

    @Override
    public void remove(RecordKey<?> key) {
      requireOwn(key);
      remember(key, current.remove(key));
    }

    private void requireUsable(RecordKey<?> key) {
      if (!isLocked(key)) {
        throw new IllegalStateException("the command neither named nor locked " + key);
      }
      var intent = pending.get(key);
      if (intent != null && !named.contains(intent)) {
        throw new PendingIntentException(intent);
      }
    }

    private void requireOwn(RecordKey<?> key) {
      requireUsable(key);
      if (onlyRead.contains(key)) {
        throw new IllegalStateException("the command changes " + key + ", but reads() contains it");
      }
    }

    private void remember(RecordKey<?> key, @Nullable Object before) {
      if (!undo.containsKey(key)) {
        undo.put(key, before);
      }
    }

    void keep() {
      kept = true;
      if (!pending.isEmpty()) {
        // the command that changes an intent takes it
        pending
            .entrySet()
            .removeIf(
                record -> undo.containsKey(record.getValue()) && settled.add(record.getKey()));
      }
    }

    void undoUnlessKept() {
      if (kept) {
        return;
      }
      undo.forEach(
          (key, before) -> {
            if (before == null) {
              current.remove(key);
            } else {
              current.put(key, before);
            }
          });
    }
  }
}
