package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.RecordKey;
import java.util.Comparator;
import java.util.List;

/**
 * A table as {@link SimpleTable}, of which many commands read a row at once, and few change it.
 *
 * @param load locks the rows, for a batch that changes some
 * @param read does not, for a batch that changes none
 */
public record SharedTable<K extends RecordKey<R>, R>(
    Class<K> keys,
    Comparator<K> lockOrder,
    KeyLocks<K> locks,
    RowLoad<K, R> load,
    RowLoad<K, R> read,
    RowWrites<K, R> writes)
    implements RecordTable<K, R> {

  @Override
  public void lock(Pipeline pipeline, List<K> locked, Loading<K, R> loading) {
    locks.lock(pipeline, locked);
    load.add(pipeline, locked, loading);
  }

  @Override
  public void share(Pipeline pipeline, List<K> shared, Loading<K, R> loading) {
    locks.share(pipeline, shared);
    read.add(pipeline, shared, loading);
  }

  @Override
  public void insert(Pipeline pipeline, List<Write<K, R>> written) {
    writes.insert(pipeline, written);
  }

  @Override
  public void change(Pipeline pipeline, List<Write<K, R>> written) {
    writes.change(pipeline, written);
  }
}
