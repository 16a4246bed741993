package dev.hapax.postgres.ledger;

import dev.hapax.postgres.ledger.BatchTransaction.Decided;
import dev.hapax.postgres.ledger.BatchTransaction.Result;
import dev.hapax.postgres.ledger.CommitReceipt.CommitState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** The attempts of one committer at its batches, with the receipt of their commits. */
final class BatchAttempts {
  /** Housekeeping removes rows that are a week old. */
  private static final Duration RECEIPT_KEPT = Duration.ofDays(1);

  private final CommitterConnections connections;
  private final DatabaseFence fence;
  private final RecordTables tables;
  private final CommitResolver resolver;
  private final LockHolderLog holders;
  private final TransactionScopes scopes = new TransactionScopes();
  private CommitReceipt receipt = new CommitReceipt(RECEIPT_KEPT);

  /**
   * Begins without a receipt.
   *
   * @param committed answers the commands of a batch that was resolved late, on any thread
   */
  BatchAttempts(
      CommitterConnections connections,
      DatabaseFence fence,
      RecordTables tables,
      CommandQueue queue,
      Consumer<Decided> committed) {
    this.connections = connections;
    this.fence = fence;
    this.tables = tables;
    this.resolver = new CommitResolver(connections, queue, committed);
    this.holders = new LockHolderLog(connections);
  }

  /**
   * Makes an attempt. If its commit was not answered, tries once to resolve whether it happened:
   * then its decisions are final, and deciding again would take its own writes for those of another
   * node.
   */
  Result run(List<QueuedCommand<?>> commands, int lockMillis, boolean isRepeated) {
    var result = attempt(commands, lockMillis, isRepeated);
    if (!(result instanceof Result.InDoubt(var batch, var decided, var otherwise))) {
      return result;
    }
    return switch (resolver.resolve(receipt, batch).orElse(CommitState.UNKNOWN)) {
      case COMMITTED -> new Result.Committed(decided);
      case NOT_COMMITTED -> otherwise;
      case UNKNOWN -> result;
    };
  }

  private Result attempt(List<QueuedCommand<?>> commands, int lockMillis, boolean isRepeated) {
    Connection connection;
    try {
      connection = connections.connect();
    } catch (SQLException e) {
      return new Result.Unreachable(e);
    }
    if (lockMillis == BlockedCommands.MAX_LOCK_MILLIS) {
      holders.watch(connection);
    }
    var sentNanos = System.nanoTime();
    try {
      var load = tables.load(connection, commands, isRepeated);
      var result =
          new BatchTransaction(connection, fence, tables, receipt, scopes, load)
              .run(commands, lockMillis);
      if (result instanceof Result.Retry || result instanceof Result.InDoubt) {
        connections.failed(sentNanos);
      }
      return result;
    } finally {
      CommitterConnections.release(connection);
    }
  }

  /** Resolves a batch in doubt apart from later ones, whose commits it may delay. */
  void resolveLater(long batch, Decided decided) {
    resolver.resolveLater(receipt, batch, decided);
    // the transaction in doubt may hold the old row
    receipt = new CommitReceipt(RECEIPT_KEPT);
  }

  /** Commits a row of its own. */
  void probe() throws SQLException {
    var connection = connections.connect();
    try {
      receipt.forget();
      receipt.register(connection);
    } finally {
      CommitterConnections.release(connection);
    }
  }
}
