package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.RecordKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** Finds the key that a row was loaded for. */
public final class LoadedKey {
  private LoadedKey() {}

  /**
   * Returns the key with the number in the first column. The row's own workspace must be that of
   * the key: another one would be decided on as if it were the key's.
   */
  public static <K extends RecordKey<?>> K of(ResultSet row, List<K> keys) throws SQLException {
    var key = keys.get(row.getInt(1) - 1);
    var found = row.getString("workspace");
    if (!key.workspace().name().equals(found)) {
      throw new IllegalStateException(
          "a load of %s in workspace %s returned a row of workspace %s; nothing was decided on it"
              .formatted(key.getClass().getSimpleName(), key.workspace().name(), found));
    }
    return key;
  }
}
