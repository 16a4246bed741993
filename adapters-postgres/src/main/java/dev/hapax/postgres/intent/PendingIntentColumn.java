package dev.hapax.postgres.intent;

import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.postgres.ledger.RecordTable.Loading;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Field;

/**
 * The column {@code pending_intent} of records that SQL functions complete: the intent that a
 * server has yet to take. Only those functions set it, and every write of the record clears it.
 */
public final class PendingIntentColumn {
  private PendingIntentColumn() {}

  /** The intent that is pending on the record of a row, if any. */
  public static Optional<IntentId> of(Field<UUID> column, RecordKey<?> key, ResultSet row)
      throws SQLException {
    return Optional.ofNullable(row.getObject(column.getName(), UUID.class))
        .map(intent -> new IntentId(key.workspace(), intent));
  }

  /** Reports the intent that is pending on a loaded record. */
  public static <K extends RecordKey<R>, R> void read(
      Field<UUID> column, K key, ResultSet row, Loading<K, R> loading) throws SQLException {
    of(column, key, row).ifPresent(intent -> loading.pending(key, intent));
  }
}
