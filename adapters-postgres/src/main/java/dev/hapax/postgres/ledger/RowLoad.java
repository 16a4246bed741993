package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.RecordKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * A statement that loads the rows of some keys, one row for each record.
 *
 * @param keys the parameters of the statement
 * @param statement its first column is the number of a key
 * @param reader reads the record of a row
 * @param isBounded whether the statement is a {@link SizeBoundedSelect}
 */
public record RowLoad<K extends RecordKey<R>, R>(
    UnnestRows<K> keys, String statement, RowReader<K, R> reader, boolean isBounded) {

  /** Reads the record of a row. */
  @FunctionalInterface
  public interface RowReader<K, R> {
    R read(K key, ResultSet row) throws SQLException;
  }

  /** A load that always returns whole rows. */
  public RowLoad(UnnestRows<K> keys, String statement, RowReader<K, R> reader) {
    this(keys, statement, reader, false);
  }

  /** A load whose rows may come without their large columns. */
  public static <K extends RecordKey<R>, R> RowLoad<K, R> bounded(
      UnnestRows<K> keys, String statement, RowReader<K, R> reader) {
    return new RowLoad<>(keys, statement, reader, true);
  }

  /** Adds the statement for these keys. */
  public void add(Pipeline pipeline, List<K> loaded, RecordTable.Loading<K, R> loading) {
    pipeline.query(
        statement,
        keys.parameters(loaded),
        row -> {
          var key = LoadedKey.of(row, loaded);
          if (isBounded && SizeBoundedSelect.isTruncated(row)) {
            loading.deferred(key);
          } else {
            loading.found(key, reader.read(key, row));
          }
        });
  }
}
