package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.RecordKey;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** A table that does what another one does, but for what a test makes of it. */
abstract class OtherTable<K extends RecordKey<R>, R> implements RecordTable<K, R> {
  private final RecordTable<K, R> table;

  OtherTable(RecordTable<K, R> table) {
    this.table = table;
  }

  @Override
  public Class<K> keys() {
    return table.keys();
  }

  @Override
  public Comparator<K> lockOrder() {
    return table.lockOrder();
  }

  @Override
  public void lock(Pipeline pipeline, List<K> keys, Loading<K, R> loading) {
    table.lock(pipeline, keys, loading);
  }

  @Override
  public void lookUp(Pipeline pipeline, List<K> absent, Loading<K, R> loading) {
    table.lookUp(pipeline, absent, loading);
  }

  @Override
  public Optional<PostponedBatch> postponed(List<Write<K, R>> writes) {
    return table.postponed(writes);
  }

  @Override
  public void insert(Pipeline pipeline, List<Write<K, R>> writes) {
    table.insert(pipeline, writes);
  }

  @Override
  public void change(Pipeline pipeline, List<Write<K, R>> writes) {
    table.change(pipeline, writes);
  }

  @Override
  public void verify(Pipeline pipeline, List<Write<K, R>> writes) {
    table.verify(pipeline, writes);
  }
}
