package dev.hapax.client.claim;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** An action whose writes are committed together with its completion. */
@FunctionalInterface
public interface TransactionalAction<T extends @Nullable Object> {

  /**
   * Runs the action. Only a success is committed; any other result, and an exception, rolls back.
   *
   * @param connection in a transaction that the client commits; do not commit or close it
   */
  ActionResult<? extends T> run(RunningAction action, Connection connection) throws SQLException;
}
