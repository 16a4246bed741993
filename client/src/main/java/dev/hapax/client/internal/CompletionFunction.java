package dev.hapax.client.internal;

import dev.hapax.v1.Claim;
import dev.hapax.v1.Payload;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The SQL functions that complete the work of a claim in the transaction of a connection. */
public enum CompletionFunction {
  ACTION("SELECT hapax.complete_action(?, ?, ?, CAST(? AS jsonb))"),
  OPERATION("SELECT hapax.complete_operation(?, ?, ?, CAST(? AS jsonb), ?)"),
  TASK("SELECT hapax.complete_task(?, ?, ?, CAST(? AS jsonb), CAST(? AS jsonb))");

  private final String sql;

  CompletionFunction(String sql) {
    this.sql = sql;
  }

  /**
   * Calls the function. It locks the record until the transaction ends.
   *
   * @param output JSON, or null
   * @param more further arguments
   * @throws SQLException with a SQLSTATE of Hapax if it refuses the completion
   */
  public void execute(
      Connection connection,
      String workspace,
      Claim claim,
      @Nullable Payload output,
      @Nullable String... more)
      throws SQLException {
    String json = json(output);
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          "the connection is in auto-commit mode; begin a transaction, so that the writes of the"
              + " work and its completion are committed together");
    }
    try (var statement = connection.prepareStatement(sql)) {
      statement.setString(1, workspace);
      statement.setString(2, claim.getId());
      statement.setLong(3, claim.getFence());
      statement.setString(4, json);
      for (int i = 0; i < more.length; i++) {
        statement.setString(5 + i, more[i]);
      }
      statement.execute();
    }
  }

  private static @Nullable String json(@Nullable Payload output) {
    if (output == null) {
      return null;
    }
    if (!output.hasJson()) {
      throw new IllegalArgumentException(
          "the output is binary, and a completion in a transaction takes JSON; use a codec that"
              + " writes JSON");
    }
    return output.getJson();
  }
}
