package dev.hapax.postgres.schema;

import java.sql.SQLException;
import java.util.Objects;

/** Thrown when the schema cannot be read or migrated; has the message of the database. */
public final class MigrationException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final SQLException reason;

  MigrationException(SQLException reason) {
    super(Objects.requireNonNullElse(reason.getMessage(), reason.toString()), reason);
    this.reason = reason;
  }

  public SQLException reason() {
    return reason;
  }
}
