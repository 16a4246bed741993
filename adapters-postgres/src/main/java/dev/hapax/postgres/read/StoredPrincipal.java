package dev.hapax.postgres.read;

import dev.hapax.domain.PrincipalName;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** The stored name of a principal; null = none, as in rows of servers that did not store it. */
public final class StoredPrincipal {
  private StoredPrincipal() {}

  /** Returns the text to store. */
  public static @Nullable String text(PrincipalName principal) {
    return principal.equals(PrincipalName.NONE) ? null : principal.text();
  }

  public static PrincipalName read(ResultSet row, Field<String> field) throws SQLException {
    var text = row.getString(field.getName());
    return text == null ? PrincipalName.NONE : new PrincipalName(text);
  }
}
