package dev.hapax.client.operation;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Work whose writes are committed together with its result. */
@FunctionalInterface
public interface TransactionalWork<T extends @Nullable Object> {

  /**
   * Does the work. An exception rolls back, and is recorded as a failure.
   *
   * @param connection in a transaction that the client commits; do not commit or close it
   */
  T run(RunningOperation operation, Connection connection) throws SQLException;
}
