package dev.hapax.client.internal;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A transaction on a connection of its own. */
public final class OwnTransaction {

  private OwnTransaction() {}

  /** The statements of a transaction. */
  public interface Body<T extends @Nullable Object> {
    T run(Connection connection) throws SQLException;
  }

  /**
   * Opens a connection, and commits what the body wrote. Rolls back if the body throws.
   *
   * @param committed runs if the commit succeeded; if COMMIT threw, its outcome is unknown
   */
  public static <T extends @Nullable Object> T commit(
      DataSource database, Body<T> body, Runnable committed) throws SQLException {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      T result;
      try {
        result = body.run(connection);
      } catch (Throwable thrown) {
        rollBack(connection, thrown);
        throw thrown;
      }
      connection.commit();
      committed.run();
      return result;
    }
  }

  private static void rollBack(Connection connection, Throwable thrown) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      thrown.addSuppressed(e);
    }
  }
}
