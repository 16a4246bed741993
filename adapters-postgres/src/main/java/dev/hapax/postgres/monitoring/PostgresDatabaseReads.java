package dev.hapax.postgres.monitoring;

import dev.hapax.domain.monitoring.DatabaseReads;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.WideReads;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.concurrent.CompletableFuture;

/** Describes the database by one query. */
public final class PostgresDatabaseReads implements DatabaseReads {
  private static final String INFO =
      """
      SELECT max(version::int), clock_timestamp()
      FROM hapax.flyway_schema_history WHERE version IS NOT NULL AND success""";

  private final WideReads reads;

  public PostgresDatabaseReads(WideReads reads) {
    this.reads = reads;
  }

  @Override
  public CompletableFuture<DatabaseInfo> info() {
    return reads.submit(PostgresDatabaseReads::info);
  }

  private static DatabaseInfo info(ReadSession session) throws SQLException {
    try (var statement = session.connection().createStatement();
        var rows = statement.executeQuery(INFO)) {
      rows.next();
      return new DatabaseInfo(rows.getInt(1), rows.getObject(2, OffsetDateTime.class).toInstant());
    }
  }
}
