package dev.hapax.postgres.ledger;

import dev.hapax.domain.Digest;
import java.util.List;
import java.util.function.Function;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * Locks on the keys of a table that many transactions read and few change: advisory locks, held to
 * the end of the transaction. A row lock is not fair: readers that overlap keep a writer of the row
 * waiting as long as they keep coming. Here a writer that waits holds off the readers behind it.
 * Reading writes nothing, and a key without a row is locked, too.
 *
 * <p>Rows are read by a later statement than the one that locks, so that its snapshot has what the
 * lock waited for.
 */
public final class KeyLocks<K> {
  private static final UnnestRows<Long> HASHES =
      new UnnestRows<>("k", List.of(new Column<>("hash", Column.Kind.LONG, hash -> hash)));

  private static final String SHARE = locking("pg_advisory_xact_lock_shared");
  private static final String LOCK = locking("pg_advisory_xact_lock");

  private final String table;
  private final Function<K, String> name;

  /**
   * Locks keys of this table.
   *
   * @param name the text of a key, which no other key of the table has
   */
  public KeyLocks(String table, Function<K, String> name) {
    this.table = table;
    this.name = name;
  }

  /** The sent hashes are sorted, and rows are locked in their order. */
  private static String locking(String function) {
    var hash = DSL.field(DSL.name("k", "hash"), SQLDataType.BIGINT);
    return RenderedSql.text(
        DSL.select(DSL.function(function, SQLDataType.OTHER, hash)).from(HASHES.table()));
  }

  /** Adds shared locks: no other transaction changes these keys until the end of this one. */
  public void share(Pipeline pipeline, List<K> keys) {
    add(SHARE, pipeline, keys);
  }

  /**
   * Adds exclusive locks: no other transaction reads or changes these keys until the end of this
   * one.
   */
  public void lock(Pipeline pipeline, List<K> keys) {
    add(LOCK, pipeline, keys);
  }

  private void add(String statement, Pipeline pipeline, List<K> keys) {
    var hashes = keys.stream().mapToLong(this::hash).sorted().boxed().toList();
    pipeline.query(statement, HASHES.parameters(hashes), _ -> {});
  }

  private long hash(K key) {
    return Digest.sha256(table + "\0" + name.apply(key)).getMostSignificantBits();
  }
}
