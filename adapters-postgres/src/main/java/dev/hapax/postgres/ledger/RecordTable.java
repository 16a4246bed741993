package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.RecordKey;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The storage of one type of records. Adds set-based statements to the pipelines of a batch, which
 * run in this order: lock (or hold), look up, insert, change, verify.
 */
public interface RecordTable<K extends RecordKey<R>, R> {
  Class<K> keys();

  /** The order in which every node locks and inserts. */
  Comparator<K> lockOrder();

  /** Locks and loads the rows of these keys, given in lock order. */
  void lock(Pipeline pipeline, List<K> keys, Loading<K, R> loading);

  /**
   * As {@link #lock}, for a batch that changes none of the rows: other batches may read them
   * meanwhile. A batch that may change one row of a table locks all its rows of that table, to keep
   * the order.
   */
  default void share(Pipeline pipeline, List<K> keys, Loading<K, R> loading) {
    lock(pipeline, keys, loading);
  }

  /** Locks rows without loading them, given in lock order; fails if one has another version. */
  default void hold(Pipeline pipeline, List<Held<K>> rows) {
    throw new UnsupportedOperationException("a table with a memory holds rows");
  }

  /**
   * Whether {@link #change} locks the rows of these writes in lock order by itself, before it waits
   * for anything else. Then they need no {@link #hold}.
   */
  default boolean changesInOrder(List<Write<K, R>> writes) {
    return false;
  }

  /** Reads, without locking, records that another table may have for keys without a row here. */
  default void lookUp(Pipeline pipeline, List<K> absent, Loading<K, R> loading) {}

  /** Returns the writes that cannot run yet. Must not wait, since locks are held. */
  default Optional<PostponedBatch> postponed(List<Write<K, R>> writes) {
    return Optional.empty();
  }

  /** The records that this node remembers; empty = each batch loads them. */
  default Optional<RecordMemory<K, R>> memory() {
    return Optional.empty();
  }

  /**
   * The record as this node read it last, of a table that batches only read; it may be outdated, so
   * {@link #confirm} follows.
   */
  default Optional<R> lastRead(K key) {
    return Optional.empty();
  }

  /** Fails if one of these is not the record any more. */
  default void confirm(Pipeline pipeline, Map<K, R> assumed) {
    throw new UnsupportedOperationException("a table with a last reading confirms it");
  }

  /** Reads these again next time: one of them was not confirmed. */
  default void forget(Set<K> keys) {}

  /**
   * Inserts rows that were absent. A key that another node has inserted meanwhile is a unique
   * violation, and the batch is decided again; {@code ON CONFLICT DO NOTHING} would have the same
   * result and write more. Runs before every change: an insert waits for a row that is being
   * updated, and would deadlock behind an update. What rivals insert only for a row that they have
   * locked belongs to the change.
   */
  void insert(Pipeline pipeline, List<Write<K, R>> writes);

  /** Updates and deletes rows, guarded by what was loaded or remembered. */
  default void change(Pipeline pipeline, List<Write<K, R>> writes) {}

  /** Fails if another table has got a record that was absent: an absence cannot be locked. */
  default void verify(Pipeline pipeline, List<Write<K, R>> writes) {}

  /** Receives the records of a load. */
  interface Loading<K, R> {
    void found(K key, R record);

    /** As {@link #found(Object, Object)}, of a table whose writes name the version of the row. */
    default void found(K key, R record, RowVersion version) {
      found(key, record);
    }

    /**
     * The record exists but is too large to be loaded with the others; its commands go into the
     * next batch.
     */
    void deferred(K key);

    /** The record was found, and this intent is pending on it. A list shows it as it is. */
    default void pending(K key, RecordKey<?> intent) {}
  }

  /**
   * A row to lock.
   *
   * @param version of the remembered record; null = of none, so the row is loaded next, if there is
   *     one
   */
  record Held<K>(K key, @Nullable RowVersion version) {}

  /**
   * One record to write; null = absent.
   *
   * @param replaced the version of its row, if its table returned one with the load
   */
  record Write<K, R>(K key, @Nullable R before, @Nullable R after, @Nullable RowVersion replaced) {

    public Write(K key, @Nullable R before, @Nullable R after) {
      this(key, before, after, null);
    }

    public boolean isNew() {
      return before == null;
    }

    /** The version of the row to write. */
    public RowVersion replacedVersion() {
      return Objects.requireNonNull(replaced, () -> "no version of " + key);
    }

    /** The record to write, of a type that is never removed. */
    public R kept() {
      if (after == null) {
        throw new IllegalArgumentException(key + " cannot be removed");
      }
      return after;
    }
  }
}
