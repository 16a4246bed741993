package dev.hapax.postgres.read;

import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.WorkspaceScope;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;

/**
 * The connection of one read. Its scope is sent with the first statement, so it needs no round trip
 * of its own. It holds until the next read of the connection sets another one.
 */
public final class ReadSession {
  private final Connection connection;
  private Optional<WorkspaceScope> unsent;

  /** Sends this scope, if there is one, with the first statement. */
  ReadSession(Connection connection, Optional<WorkspaceScope> scope) {
    this.connection = connection;
    this.unsent = scope;
  }

  /** A read on a connection that needs no scope: its role reads all workspaces. */
  public static ReadSession wide(Connection connection) {
    return new ReadSession(connection, Optional.empty());
  }

  /** Returns statements for one round trip; they must run before any others. */
  public Pipeline pipeline() {
    var pipeline = new Pipeline(connection);
    begin(pipeline);
    return pipeline;
  }

  /** Returns the connection for statements outside of pipelines; an unsent scope is sent first. */
  public Connection connection() throws SQLException {
    if (unsent.isPresent()) {
      pipeline().run();
    }
    return connection;
  }

  /**
   * Begins a transaction whose statements share one snapshot.
   *
   * @return the time by the database's clock
   */
  Instant beginSnapshot() throws SQLException {
    var pipeline = new Pipeline(connection);
    pipeline.add("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    begin(pipeline);
    var now = new Instant[1];
    pipeline.query(
        "SELECT clock_timestamp()",
        List.of(),
        row -> now[0] = row.getObject(1, OffsetDateTime.class).toInstant());
    pipeline.run();
    return now[0];
  }

  /** Runs this with {@code BEGIN} before its first statement, and commits. */
  public void inTransaction(Statements statements) throws SQLException {
    connection.setAutoCommit(false);
    try {
      statements.run();
      // a rollback would take back the scope
      connection.commit();
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  /** Statements of one transaction. */
  @FunctionalInterface
  public interface Statements {
    void run() throws SQLException;
  }

  boolean isScopeSent() {
    return unsent.isEmpty();
  }

  private void begin(Pipeline pipeline) {
    unsent.ifPresent(scope -> scope.setForSession(pipeline));
    unsent = Optional.empty();
  }
}
