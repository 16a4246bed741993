package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.RecordKey;
import java.util.Comparator;
import java.util.List;

/** A table with one row for each record, which is never removed. */
public record SimpleTable<K extends RecordKey<R>, R>(
    Class<K> keys, Comparator<K> lockOrder, RowLoad<K, R> load, RowWrites<K, R> writes)
    implements RecordTable<K, R> {

  @Override
  public void lock(Pipeline pipeline, List<K> locked, Loading<K, R> loading) {
    load.add(pipeline, locked, loading);
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
