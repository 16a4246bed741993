package dev.hapax.client;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Completes the work of a claim in a transaction on the database of Hapax. */
public final class Tx {

  private Tx() {}

  /**
   * The statements of a transaction.
   *
   * @param <T> the result of the work
   * @param <E> what it throws, besides SQLException
   */
  @FunctionalInterface
  public interface Body<T extends @Nullable Object, E extends Exception> {

    /** Writes, and returns what the work is to return. Do not commit or close the connection. */
    T run(Connection connection) throws E, SQLException;
  }

  /**
   * Opens a connection, and commits what the body writes together with the completion of the work:
   * both, or neither. Return the result from the work. The database role needs a grant, see {@code
   * hapax sql grant}; an action also needs a claim state.
   *
   * <pre>{@code
   * hapax.once(Operation.of("POST /payments", key), Receipt.class,
   *     claim -> Tx.run(database, claim, connection -> insertPayment(connection)));
   * }</pre>
   *
   * <p>Let an exception leave the work: if the connection is lost while it commits, Hapax knows
   * whether the transaction was committed, and that is the outcome. A task cannot skip its step or
   * consume signals this way.
   *
   * @param claim of the work; one that is not tracked is not completed
   * @throws E what the body throws, after a rollback
   * @throws SQLException if the database fails
   * @throws HapaxException.ClaimLost if another holder has taken over, after a rollback
   * @throws HapaxException.Refused if Hapax refuses the completion, after a rollback
   */
  public static <T extends @Nullable Object, E extends Exception> T run(
      DataSource database, Claim claim, Body<? extends T, E> body) throws E, SQLException {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      T value;
      try {
        value = claim.<T>completeIn(connection, body.run(connection));
      } catch (Throwable thrown) {
        rollBack(connection, thrown);
        throw thrown;
      }
      connection.commit();
      claim.committed();
      return value;
    }
  }

  private static void rollBack(Connection connection, Throwable thrown) {
    try {
      connection.rollback();
    } catch (SQLException alsoThrown) {
      thrown.addSuppressed(alsoThrown);
    }
  }
}
