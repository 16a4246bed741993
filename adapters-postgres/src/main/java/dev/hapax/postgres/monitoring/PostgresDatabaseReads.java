package dev.hapax.postgres.monitoring;

import dev.hapax.domain.monitoring.DatabaseReads;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Describes the database by one query, which all callers share that wait at the same time. */
public final class PostgresDatabaseReads implements DatabaseReads {
  private static final String INFO =
      """
      SELECT max(version::int), clock_timestamp(),
        (SELECT coalesce(min(features), 2147483647) FROM hapax.live_node)
      FROM hapax.flyway_schema_history WHERE version IS NOT NULL AND success""";

  private static final String BYTES = "SELECT pg_database_size(current_database())";

  private final ReadExecutor reads;

  // guarded by this
  private CompletableFuture<DatabaseInfo> shared =
      CompletableFuture.failedFuture(new IllegalStateException("not read yet"));

  public PostgresDatabaseReads(ReadExecutor reads) {
    this.reads = reads;
  }

  @Override
  public synchronized CompletableFuture<DatabaseInfo> info() {
    if (shared.isDone()) {
      shared = reads.submitUnscoped(PostgresDatabaseReads::info);
    }
    // a copy, so that no caller completes the answer of the others
    return shared.copy();
  }

  @Override
  public CompletableFuture<Long> bytes() {
    return reads.submitUnscoped(PostgresDatabaseReads::bytes);
  }

  private static long bytes(ReadSession session) throws SQLException {
    var bytes = new long[1];
    session.inTransaction(
        () -> {
          var pipeline = session.pipeline();
          // the size needs the right to connect, which the user has, and not its roles
          pipeline.add("SET LOCAL ROLE NONE");
          pipeline.query(BYTES, List.of(), row -> bytes[0] = row.getLong(1));
          pipeline.run();
        });
    return bytes[0];
  }

  private static DatabaseInfo info(ReadSession session) throws SQLException {
    try (var statement = session.connection().createStatement();
        var rows = statement.executeQuery(INFO)) {
      rows.next();
      return new DatabaseInfo(
          rows.getInt(1), rows.getObject(2, OffsetDateTime.class).toInstant(), rows.getInt(3));
    }
  }
}
