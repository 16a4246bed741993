package dev.hapax.postgres.sql;

import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RecordTable.Held;
import dev.hapax.postgres.ledger.RecordTable.Loading;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.ledger.RowVersion;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** Calls a table as a batch does that loads and writes these records. */
final class TableCalls<K extends RecordKey<R>, R> {
  private final Connection connection;
  private final RecordTable<K, R> table;
  private final Map<K, RowVersion> loaded = new HashMap<>();

  TableCalls(Connection connection, RecordTable<K, R> table) {
    this.connection = connection;
    this.table = table;
  }

  private final class Kept implements Loading<K, R> {
    @Override
    public void found(K key, R record) {}

    @Override
    public void found(K key, R record, RowVersion version) {
      loaded.put(key, version);
    }

    @Override
    public void deferred(K key) {}
  }

  /** Adds the statements that load these records, which must be in the table. */
  TableCalls<K, R> load(GoldenSql sql, List<K> keys) throws Exception {
    var sorted = keys.stream().sorted(table.lockOrder()).toList();
    sql.add("lock", () -> run(pipeline -> table.lock(pipeline, sorted, new Kept())));
    sql.add("share", () -> run(pipeline -> table.share(pipeline, sorted, new Kept())));
    sql.add("lookUp", () -> run(pipeline -> table.lookUp(pipeline, sorted, new Kept())));
    if (table.memory().isPresent()) {
      var held = sorted.stream().filter(loaded::containsKey).map(this::held).toList();
      sql.add("hold", () -> run(pipeline -> table.hold(pipeline, held)));
    }
    return this;
  }

  private Held<K> held(K key) {
    return new Held<>(key, loaded.getOrDefault(key, new RowVersion("")));
  }

  /** Adds the statements that write these records. */
  TableCalls<K, R> write(GoldenSql sql, List<Write<K, R>> writes) throws Exception {
    var sorted = sorted(writes);
    sql.add("insert", () -> run(table::insert, sorted));
    sql.add("change", () -> run(table::change, sorted));
    sql.add("verify", () -> run(table::verify, sorted));
    return this;
  }

  /** Writes these records. */
  void write(List<Write<K, R>> writes) throws SQLException {
    var sorted = sorted(writes);
    run(table::insert, sorted);
    run(table::change, sorted);
    run(table::verify, sorted);
  }

  private List<Write<K, R>> sorted(List<Write<K, R>> writes) {
    var sorted =
        writes.stream()
            .sorted(Comparator.comparing(Write::key, table.lockOrder()))
            .map(this::asLoaded)
            .toList();
    table.postponed(sorted).ifPresent(postponed -> postponed.until().join());
    return sorted;
  }

  /** A write of the row as it was loaded, if this table tells versions. */
  private Write<K, R> asLoaded(Write<K, R> write) {
    var version = loaded.get(write.key());
    return version == null
        ? write
        : new Write<>(write.key(), write.before(), write.after(), version);
  }

  private void run(BiConsumer<Pipeline, List<Write<K, R>>> call, List<Write<K, R>> writes)
      throws SQLException {
    run(pipeline -> call.accept(pipeline, writes));
  }

  private interface Adding {
    void to(Pipeline pipeline);
  }

  private void run(Adding statements) throws SQLException {
    var pipeline = new Pipeline(connection);
    statements.to(pipeline);
    pipeline.run();
  }
}
