package dev.hapax.bootstrap.acceptance;

import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Watches how long the statements of a database wait for locks. */
final class LockWaits implements AutoCloseable {
  private static final String LONGEST =
      """
      SELECT coalesce(max(extract(epoch FROM clock_timestamp() - waitstart)), 0)
      FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())""";

  private final CompletableFuture<Double> watching;
  private volatile boolean over;

  private LockWaits(TestDatabase database) {
    watching = CompletableFuture.supplyAsync(() -> longest(database));
  }

  static LockWaits watch(TestDatabase database) {
    return new LockWaits(database);
  }

  private double longest(TestDatabase database) {
    var longest = 0.0;
    try (var connection = database.connect()) {
      while (!over) {
        longest = Math.max(longest, now(connection));
      }
      return longest;
    } catch (SQLException e) {
      throw new CompletionException(e);
    }
  }

  private static double now(Connection connection) throws SQLException {
    try (var statement = connection.createStatement();
        var row = statement.executeQuery(LONGEST)) {
      row.next();
      return row.getDouble(1);
    }
  }

  /** Ends the watch; the longest wait that it has seen. */
  double longestSeconds() {
    over = true;
    return watching.join();
  }

  @Override
  public void close() {
    over = true;
  }
}
