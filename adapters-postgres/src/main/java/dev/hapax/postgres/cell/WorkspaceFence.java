package dev.hapax.postgres.cell;

import static dev.hapax.postgres.schema.Tables.INSTALLATION;
import static dev.hapax.postgres.schema.Tables.MOVED;

import dev.hapax.domain.Workspace;
import dev.hapax.postgres.ledger.SqlState;
import dev.hapax.postgres.schema.TableTransaction;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/** Keeps transactions from writing a workspace in one cell. */
record WorkspaceFence(Workspace workspace, DataSource database) {
  /** Longer than any batch of a server. */
  private static final Duration BATCH = Duration.ofSeconds(15);

  /** For transactions of applications, which only they may end. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** As `hapax` names its sessions. */
  private static final String OF_SERVERS = "hapax";

  /** Who has read the fence has this lock until the end of its transaction. */
  private static final String READERS =
      """
      SELECT l.virtualtransaction::text AS transaction, coalesce(l.pid, 0) AS pid,
        coalesce(a.application_name, '') AS application, coalesce(a.usename::text, '') AS role
      FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'relation' AND l.relation = 'hapax.moved'::regclass
        AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
        AND l.mode = 'AccessShareLock' AND l.pid IS DISTINCT FROM pg_backend_pid()\
      """;

  /** A session that has read the fence; pid 0 = a prepared transaction, which has none. */
  private record Reader(int pid, String application, String role) {
    @Override
    public String toString() {
      return pid == 0
          ? "a prepared transaction"
          : "the transaction of process %s (role %s, application %s)"
              .formatted(pid, role, application.isEmpty() ? "unknown" : application);
    }
  }

  /**
   * Marks the workspace as moved, and waits until no transaction is open that may have read that it
   * is not. Afterwards nothing writes it.
   *
   * @throws IOException if such a transaction does not end
   */
  void raise() throws SQLException, IOException {
    var start = System.nanoTime();
    while (!isMarked()) {
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        throw new IOException(
            "a transaction with REPEATABLE READ has the row of hapax.installation locked; end it, and try again");
      }
    }
    // from here on each transaction that reads the fence finds the mark
    var open = readers();
    while (!open.isEmpty()) {
      LockSupport.parkNanos(PAUSE_NANOS);
      open.keySet().retainAll(readers().keySet());
      var waited = System.nanoTime() - start;
      if (waited > BATCH.toNanos()) {
        endBatches(open);
      }
      if (waited > PATIENCE.toNanos()) {
        throw new IOException(
            "%s may still write workspace %s, and has not ended for %s s; end it, and try again"
                .formatted(
                    open.values().iterator().next(), workspace.name(), PATIENCE.toSeconds()));
      }
    }
  }

  private boolean isMarked() throws SQLException, IOException {
    try {
      TableTransaction.run(
          database,
          sql -> {
            sql.execute("SET LOCAL lock_timeout = '200ms'");
            sql.insertInto(MOVED, MOVED.WORKSPACE)
                .values(workspace.name())
                .onConflictDoNothing()
                .execute();
            return sql.update(INSTALLATION)
                .set(INSTALLATION.MOVES, INSTALLATION.MOVES.plus(1))
                .execute();
          });
      return true;
    } catch (SQLException e) {
      if (SqlState.of(e) == SqlState.BLOCKED) {
        return false;
      }
      throw e;
    }
  }

  /** The transactions that have read the fence, by their virtual ids. */
  private Map<String, Reader> readers() throws SQLException, IOException {
    return TableTransaction.run(
        database,
        sql -> {
          var readers = new HashMap<String, Reader>();
          sql.fetch(READERS)
              .forEach(
                  row ->
                      readers.put(
                          row.get("transaction", String.class),
                          new Reader(
                              row.get("pid", Integer.class),
                              row.get("application", String.class),
                              row.get("role", String.class))));
          return readers;
        });
  }

  /** A server whose machine stands still ends its batch never. */
  private void endBatches(Map<String, Reader> open) throws SQLException, IOException {
    for (var reader : open.values()) {
      if (reader.application().equals(OF_SERVERS)) {
        TableTransaction.run(
            database,
            sql -> sql.execute("SELECT pg_terminate_backend({0})", DSL.inline(reader.pid())));
      }
    }
  }

  /** Lets transactions write it again. */
  void lower() throws SQLException, IOException {
    TableTransaction.run(database, sql -> remove(sql, workspace));
  }

  static int remove(DSLContext sql, Workspace workspace) {
    return sql.deleteFrom(MOVED).where(MOVED.WORKSPACE.eq(workspace.name())).execute();
  }
}
