package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.postgres.ledger.DatabaseFence.Timeouts;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.postgresql.util.PSQLException;

/** One attempt at a batch: one transaction, from the locks to the commit. */
final class BatchTransaction {
  /**
   * The lock timeout of a batch that may wait out of order: for a key that exists although it was
   * taken for new, or for a remembered row that its writes lock. It must give up before PostgreSQL
   * looks for a deadlock.
   */
  private static final int OUT_OF_ORDER_LOCK_MILLIS = 250;

  private static final int WRITE_MILLIS = 2_000;

  /** How the names of checks begin that what a batch took for known was so. */
  private static final String ASSUMED = "assumed ";

  /**
   * Limits the waits of writes that lock rows, for each row and for all of a statement: the time of
   * the decision must not lie far behind the commit.
   */
  private static final List<String> LIMIT_WAITS =
      List.of(
          lockTimeout(OUT_OF_ORDER_LOCK_MILLIS), "SET LOCAL statement_timeout = " + WRITE_MILLIS);

  private final Connection connection;
  private final DatabaseFence fence;
  private final RecordTables tables;
  private final CommitReceipt receipt;
  private final TransactionScopes scopes;
  private final BatchLoad load;
  private final long begunNanos = System.nanoTime();
  private boolean isBegun;

  BatchTransaction(
      Connection connection,
      DatabaseFence fence,
      RecordTables tables,
      CommitReceipt receipt,
      TransactionScopes scopes,
      BatchLoad load) {
    this.connection = connection;
    this.fence = fence;
    this.tables = tables;
    this.receipt = receipt;
    this.scopes = scopes;
    this.load = load;
  }

  /** How an attempt ended. */
  sealed interface Result {
    /** The outcomes decided are durable. */
    record Committed(Decided decided) implements Result {}

    /**
     * The commit was sent but not answered: it may have happened.
     *
     * @param otherwise the result if it did not happen
     */
    record InDoubt(long batch, Decided decided, Result otherwise) implements Result {}

    /** Rolled back; an immediate retry may succeed. */
    record Retry() implements Result {}

    /** Rolled back: the database is unreachable or read-only. */
    record Unreachable(SQLException cause) implements Result {}

    /** Rolled back: another transaction holds a record for too long. */
    record Blocked() implements Result {}

    /** Rolled back: some of the writes have to wait, the others can be retried. */
    record Postpone(PostponedBatch writes) implements Result {}

    /** Rolled back: this server must not use the database any more. */
    record Refused(String reason) implements Result {}

    /** Rolled back: these workspaces are in another cell. */
    record Moved(Set<String> workspaces) implements Result {}

    /** Rolled back: a statement fails with these commands. */
    record Failed(Exception cause) implements Result {}
  }

  /**
   * The outcomes of the commands.
   *
   * @param decided those with an outcome
   * @param deferred those whose records have too many bytes for this batch
   * @param widened those that led to records which this batch has not locked
   * @param pending those that need a record with a pending intent
   * @param changed the changes of the others
   * @param begunNanos when its transaction began, by {@link System#nanoTime}
   */
  record Decided(
      List<QueuedCommand<?>> decided,
      List<QueuedCommand<?>> deferred,
      List<QueuedCommand<?>> widened,
      List<QueuedCommand<?>> pending,
      Map<RecordKey<?>, Batch.Change> changed,
      long begunNanos) {}

  /**
   * Makes the attempt.
   *
   * @param lockTimeoutMillis how long to wait for a record that another transaction holds; 0 = as
   *     usual
   */
  Result run(Collection<QueuedCommand<?>> commands, int lockTimeoutMillis) {
    try {
      receipt.register(connection);
      var lockMillis = lockTimeoutMillis > 0 ? lockTimeoutMillis : ownLockMillis();
      var estimate = load.isKnown() ? fence.estimate() : Optional.<Instant>empty();
      return estimate.isPresent()
          ? runWithoutQuery(commands, lockMillis, estimate.get())
          : runWithQueries(commands, lockMillis);
    } catch (SQLException e) {
      rollBack();
      return ended(e);
    } catch (RuntimeException e) {
      rollBack();
      // a table that sends its own query wraps the error
      return e.getCause() instanceof SQLException cause ? ended(cause) : failed(e, commands);
    } catch (Error e) {
      abandon();
      throw e;
    }
  }

  /** Decides on what is known, and sends all statements with the commit, which confirm it. */
  private Result runWithoutQuery(Collection<QueuedCommand<?>> commands, int lockMillis, Instant now)
      throws SQLException {
    var timeouts =
        load.isLockedByWrites()
            ? new Timeouts(Math.min(lockMillis, OUT_OF_ORDER_LOCK_MILLIS), WRITE_MILLIS)
            : new Timeouts(lockMillis, LedgerConnections.STATEMENT_MILLIS);
    var writes = new Pipeline(connection);
    writes.add("BEGIN");
    var scope = scope(commands);
    scopes.set(writes, scope);
    fence.require(writes, scope, now, timeouts);
    load.confirm(writes);
    return decide(commands, now, writes);
  }

  private Result runWithQueries(Collection<QueuedCommand<?>> commands, int lockMillis)
      throws SQLException {
    var begin = new Pipeline(connection);
    begin.add("BEGIN");
    begin.add(lockTimeout(lockMillis));
    var scope = scope(commands);
    scopes.set(begin, scope);
    fence.hold(begin);
    load.lock(begin);
    var check = fence.check(begin, scope);
    send(begin);
    if (fence.refusal().isPresent()) {
      rollBack();
      return new Result.Refused(fence.refusal().get());
    }
    if (!check.moved().isEmpty()) {
      rollBack();
      return new Result.Moved(check.moved());
    }
    var second = new Pipeline(connection);
    load.lookUp(second);
    if (!second.isEmpty()) {
      second.run();
    }
    var writes = new Pipeline(connection);
    if (load.isLockedByWrites()) {
      LIMIT_WAITS.forEach(writes::add);
    }
    load.confirm(writes);
    return decide(commands, check.now(), writes);
  }

  /** The rows of a workspace are incomplete while it moves, so that some cannot be read. */
  private Result failed(RuntimeException failure, Collection<QueuedCommand<?>> commands) {
    try {
      var scope = scope(commands);
      var pipeline = new Pipeline(connection);
      pipeline.add("BEGIN");
      scopes.set(pipeline, scope);
      var check = fence.check(pipeline, scope);
      send(pipeline);
      rollBack();
      return check.moved().isEmpty() ? new Result.Failed(failure) : new Result.Moved(check.moved());
    } catch (SQLException e) {
      failure.addSuppressed(e);
      return new Result.Failed(failure);
    }
  }

  /** Not only of the session: its own timeout is not passed on to another node of the database. */
  private static String lockTimeout(int millis) {
    return "SET LOCAL lock_timeout = " + millis;
  }

  private int ownLockMillis() {
    return load.isGuessing() ? OUT_OF_ORDER_LOCK_MILLIS : LedgerConnections.LOCK_MILLIS;
  }

  private static WorkspaceScope scope(Collection<QueuedCommand<?>> commands) {
    return WorkspaceScope.of(
        commands.stream().flatMap(pending -> pending.keys().stream()).map(RecordKey::workspace));
  }

  /**
   * Decides and commits.
   *
   * @param writes sent with the writes, before them
   */
  private Result decide(Collection<QueuedCommand<?>> commands, Instant now, Pipeline writes)
      throws SQLException {
    var batch = new Batch(load.records(), load.pending(), now);
    var decided = new ArrayList<QueuedCommand<?>>(commands.size());
    var deferred = new ArrayList<QueuedCommand<?>>();
    var widened = new ArrayList<QueuedCommand<?>>();
    var pending = new ArrayList<QueuedCommand<?>>();
    for (var command : commands) {
      if (!load.isComplete(command.keys())) {
        deferred.add(command);
        continue;
      }
      switch (command.decide(batch)) {
        case DECIDED -> decided.add(command);
        case WIDENED -> widened.add(command);
        case PENDING -> pending.add(command);
      }
    }
    var changes = batch.changes();
    if (!load.isProvenBy(decided, changes)) {
      // no wrong guess: such as a rejected start, which inserts nothing
      rollBack();
      return new Result.Retry();
    }
    return commit(new Decided(decided, deferred, widened, pending, changes, begunNanos), writes);
  }

  private Result commit(Decided result, Pipeline writes) throws SQLException {
    if (result.changed().isEmpty()) {
      load.holdOthers(writes, Set.of());
      writes.add("COMMIT");
      send(writes);
      return new Result.Committed(result);
    }
    var prepared = tables.writes(load, result.changed());
    var postponed = prepared.postponed();
    if (postponed.isPresent()) {
      rollBack();
      return new Result.Postpone(postponed.get());
    }
    var number = receipt.raise(writes);
    load.holdOthers(writes, prepared.lockedInOrder());
    prepared.addTo(writes);
    writes.add("COMMIT");
    try {
      send(writes);
      return new Result.Committed(result);
    } catch (SQLException e) {
      return isOver(e) ? ended(e) : inDoubt(number, result, ended(e));
    } catch (RuntimeException e) {
      return inDoubt(number, result, new Result.Failed(e));
    }
  }

  /**
   * Whether the transaction is certainly rolled back: the server reported an error and the session
   * continues. An error that ends the session may follow a commit, whatever its code.
   */
  private boolean isOver(SQLException e) {
    return e instanceof PSQLException error
        && error.getServerErrorMessage() != null
        && SqlState.of(e) != SqlState.CONNECTION_LOST
        && rollBack();
  }

  private Result inDoubt(long number, Decided result, Result otherwise) {
    abandon();
    return new Result.InDoubt(number, result, otherwise);
  }

  private Result ended(SQLException e) {
    if (DatabaseFence.isRefusal(e)) {
      fence.refuse(SqlState.message(e));
      return new Result.Refused(SqlState.message(e));
    }
    receipt.forgetIfMissing(e);
    return switch (SqlState.of(e)) {
      case CONNECTION_LOST, RETRY -> {
        load.forgetAssumed();
        var missing = SqlState.missing(e);
        if (missing.filter(what -> what.startsWith(ASSUMED)).isPresent()) {
          fence.clock().forget();
        } else {
          load.failed(missing.isPresent());
        }
        yield new Result.Retry();
      }
      case NOT_WRITABLE -> {
        // the next connection may reach a writable server
        abandon();
        yield new Result.Unreachable(e);
      }
      // the next attempt locks in order, and waits longer
      case BLOCKED -> load.isLockedByWrites() ? new Result.Retry() : new Result.Blocked();
      case OTHER -> new Result.Failed(e);
    };
  }

  /** Sends statements of which the first one is BEGIN. */
  private void send(Pipeline pipeline) throws SQLException {
    isBegun = true;
    pipeline.run();
  }

  /** Returns whether the session answered; if not, the connection is closed already. */
  private boolean rollBack() {
    if (!isBegun) {
      return true;
    }
    try (var statement = connection.createStatement()) {
      statement.execute("ROLLBACK");
      return true;
    } catch (SQLException _) {
      abandon();
      return false;
    }
  }

  /** Ends the session, so that no open transaction goes back to the pool. */
  private void abandon() {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException _) {
      // it is closed
    }
  }
}
