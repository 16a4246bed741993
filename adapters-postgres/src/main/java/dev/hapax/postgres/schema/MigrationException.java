package dev.hapax.postgres.schema;

import java.sql.SQLException;
import java.util.Objects;

/** The schema cannot be read or changed; says it as the database did. */
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
