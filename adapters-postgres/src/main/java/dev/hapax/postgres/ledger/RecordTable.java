package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.RecordKey;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where records of one kind live. Adds set-based statements to the pipelines of a batch, which run
 * in this order: lock, look up, insert, change, verify.
 */
public interface RecordTable<K extends RecordKey<R>, R> {
  Class<K> keys();

  /** The order in which every node locks and inserts. */
  Comparator<K> lockOrder();

  /** Locks and loads the rows of these keys, given in lock order. */
  void lock(Pipeline pipeline, List<K> keys, Loading<K, R> loading);

  /**
   * The same where nobody of the batch changes any of them: others may read them meanwhile. A batch
   * that may change one row of a table locks all of that table's, or the order would not hold.
   */
  default void share(Pipeline pipeline, List<K> keys, Loading<K, R> loading) {
    lock(pipeline, keys, loading);
  }

  /** Reads, without locking, records that another table may have for keys without a row here. */
  default void lookUp(Pipeline pipeline, List<K> absent, Loading<K, R> loading) {}

  /** Those of the writes that cannot run yet. Locks are held: this must not wait for anything. */
  default Optional<PostponedBatch> postponed(List<Write<K, R>> writes) {
    return Optional.empty();
  }

  /**
   * Inserts rows that were absent. A key that another node has inserted meanwhile is a unique
   * violation, and everything is decided again; {@code ON CONFLICT DO NOTHING} would end there too,
   * and writes more. Comes before every change: an insert waits for a row that is being updated,
   * and would deadlock behind one.
   */
  void insert(Pipeline pipeline, List<Write<K, R>> writes);

  /** Updates and deletes rows, guarded by what was loaded. */
  default void change(Pipeline pipeline, List<Write<K, R>> writes) {}

  /** Fails if another table has got a record that was absent: an absence cannot be locked. */
  default void verify(Pipeline pipeline, List<Write<K, R>> writes) {}

  /** Where a load puts what it finds. */
  interface Loading<K, R> {
    void found(K key, R record);

    /** The record is there but too large to be loaded with the others; its commands go next. */
    void deferred(K key);
  }

  /** One record to write; null = absent. */
  record Write<K, R>(K key, @Nullable R before, @Nullable R after) {
    public boolean isNew() {
      return before == null;
    }

    /** The record as it is to be, of a kind that is never removed. */
    public R kept() {
      if (after == null) {
        throw new IllegalArgumentException(key + " cannot be removed");
      }
      return after;
    }
  }
}
