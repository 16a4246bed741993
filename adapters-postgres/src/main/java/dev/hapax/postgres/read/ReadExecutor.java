package dev.hapax.postgres.read;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.postgres.ledger.DatabaseFence;
import dev.hapax.postgres.ledger.PostgresLedger;
import dev.hapax.postgres.ledger.SqlState;
import dev.hapax.postgres.ledger.WorkspaceScope;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jooq.exception.DataAccessException;
import org.postgresql.PGConnection;

/** Runs reads on its own threads, at most one for each connection. */
public final class ReadExecutor implements AutoCloseable {
  private static final int MAX_WAITING = 1_000;

  private final DataSource database;
  private final Optional<DatabaseFence> fence;
  private final ReadQueue<Runnable> waiting = new ReadQueue<>(MAX_WAITING);
  private final ExecutorService threads;

  /** The scopes that sessions have: one that does not change is not sent again. */
  private final Map<PGConnection, WorkspaceScope> scopes =
      Collections.synchronizedMap(new WeakHashMap<>());

  private volatile Optional<LastRead> last = Optional.empty();

  /**
   * How the read that ended last did.
   *
   * @param endedNanos when, by {@link System#nanoTime}
   * @param isAnswered whether the database answered it without an error
   * @param isReadOnly whether the database was read-only then
   */
  public record LastRead(long endedNanos, boolean isAnswered, boolean isReadOnly) {
    private static LastRead answered(boolean isReadOnly) {
      return new LastRead(System.nanoTime(), true, isReadOnly);
    }

    private static LastRead failed() {
      return new LastRead(System.nanoTime(), false, false);
    }

    /** Whether it was answered, in this time before now. */
    public boolean isAnsweredWithin(Duration time) {
      return isAnswered && System.nanoTime() - endedNanos < time.toNanos();
    }
  }

  /** One read. */
  @FunctionalInterface
  public interface Read<T> {
    T from(ReadSession session) throws SQLException;
  }

  /** One read of a snapshot, which was taken at about {@code now} by the database's clock. */
  @FunctionalInterface
  public interface SnapshotRead<T> {
    T from(ReadSession session, Instant now) throws SQLException;
  }

  /** Runs reads that are answered by the database alone. */
  public ReadExecutor(DataSource database, int atOnce) {
    this(database, Optional.empty(), atOnce);
  }

  /**
   * Runs reads.
   *
   * @param fence must hold before an answer may come from the memory of this server
   */
  ReadExecutor(DataSource database, Optional<DatabaseFence> fence, int atOnce) {
    this.database = database;
    this.fence = fence;
    this.threads =
        Executors.newFixedThreadPool(
            atOnce, Thread.ofPlatform().daemon().name("read-", 0).factory());
  }

  /**
   * Runs a read of rows of these workspaces. The future fails with {@link
   * LedgerException.Unavailable} when the database is unreachable or the read times out, and with
   * {@link LedgerException.Defective} when the query fails.
   */
  public <T> CompletableFuture<T> submit(WorkspaceScope scope, Read<T> read) {
    return submit(Optional.of(scope), read);
  }

  /** Runs a read of rows of one workspace. */
  public <T> CompletableFuture<T> submit(Workspace workspace, Read<T> read) {
    return submit(WorkspaceScope.of(workspace), read);
  }

  /** Runs a read over all workspaces, or of tables that have none. */
  public <T> CompletableFuture<T> submitUnscoped(Read<T> read) {
    return submit(Optional.empty(), read);
  }

  private <T> CompletableFuture<T> submit(Optional<WorkspaceScope> scope, Read<T> read) {
    try {
      return CompletableFuture.supplyAsync(() -> run(scope, read), task -> execute(scope, task));
    } catch (LedgerException.Overloaded full) {
      return CompletableFuture.failedFuture(full);
    } catch (RejectedExecutionException _) {
      return CompletableFuture.failedFuture(
          new LedgerException.Unavailable("the server is stopping"));
    }
  }

  private void execute(Optional<WorkspaceScope> scope, Runnable task) {
    waiting.add(scope, task);
    threads.execute(() -> waiting.take().run());
  }

  /** Runs a read of one workspace whose statements share one snapshot. */
  public <T> CompletableFuture<T> submitInSnapshot(Workspace workspace, SnapshotRead<T> read) {
    return submit(
        workspace,
        session -> {
          var now = session.beginSnapshot();
          try {
            return read.from(session, now);
          } finally {
            try (var statement = session.connection().createStatement()) {
              statement.execute("COMMIT");
            }
          }
        });
  }

  private <T> T run(Optional<WorkspaceScope> scope, Read<T> read) {
    try {
      return answer(scope, read);
    } catch (LedgerException e) {
      last = Optional.of(LastRead.failed());
      throw e;
    }
  }

  private <T> T answer(Optional<WorkspaceScope> scope, Read<T> read) {
    try (var connection = connect()) {
      var server = connection.unwrap(PGConnection.class);
      // a read that fails may take back its scope, so it leaves none behind
      var before = Optional.ofNullable(scopes.remove(server));
      var session = new ReadSession(connection, before.equals(scope) ? Optional.empty() : scope);
      if (fence.isPresent()) {
        require(fence.get(), session);
      }
      var answer = read.from(session);
      scope.filter(_ -> session.isScopeSent()).ifPresent(sent -> scopes.put(server, sent));
      last = Optional.of(LastRead.answered(isReadOnly(connection)));
      return answer;
    } catch (SQLException e) {
      throw failure(e);
    } catch (DataAccessException e) {
      // jOOQ wraps the same exception
      throw e.getCause() instanceof SQLException cause ? failure(cause) : e;
    }
  }

  private static void require(DatabaseFence fence, ReadSession session) throws SQLException {
    if (!fence.isFresh()) {
      var pipeline = session.pipeline();
      fence.check(pipeline);
      pipeline.run();
    }
    fence
        .refusal()
        .ifPresent(
            reason -> {
              throw new LedgerException.Unavailable(reason);
            });
  }

  /** A connection that cannot be opened is an outage, whatever the error code. */
  private Connection connect() {
    try {
      return database.getConnection();
    } catch (SQLException e) {
      throw new LedgerException.Unavailable(
          name() + " cannot be reached", e, PostgresLedger.RETRY_AFTER);
    }
  }

  /** The read that ended last, if any has. */
  public Optional<LastRead> last() {
    return last;
  }

  /**
   * Whether the session is read-only. PostgreSQL reports these settings when they change, so this
   * needs no query.
   */
  public static boolean isReadOnly(Connection connection) throws SQLException {
    var reported = connection.unwrap(PGConnection.class).getParameterStatuses();
    return Stream.of("in_hot_standby", "default_transaction_read_only")
        .anyMatch(setting -> "on".equals(reported.get(setting)));
  }

  /** The number of reads that wait for a thread. */
  public int queued() {
    return waiting.size();
  }

  private String name() {
    return fence.map(DatabaseFence::database).orElse(DatabaseFence.UNNAMED);
  }

  private LedgerException failure(SQLException e) {
    if (e.getCause() instanceof SocketTimeoutException) {
      return new LedgerException.Unavailable(
          name() + " did not answer in time", PostgresLedger.RETRY_AFTER);
    }
    return switch (SqlState.of(e)) {
      case CONNECTION_LOST, NOT_WRITABLE, RETRY ->
          new LedgerException.Unavailable(name() + " did not answer", e);
      case BLOCKED -> new LedgerException.Unavailable("a read took too long", e);
      case OTHER -> new LedgerException.Defective("a read failed", e);
    };
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
