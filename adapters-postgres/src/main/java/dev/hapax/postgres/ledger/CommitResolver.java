package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.postgres.ledger.BatchTransaction.Decided;
import dev.hapax.postgres.ledger.CommitReceipt.CommitState;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Resolves whether a batch was committed whose commit was not answered. */
final class CommitResolver {
  private static final Logger LOG = LoggerFactory.getLogger(CommitResolver.class);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final CommitterConnections connections;
  private final CommandQueue queue;
  private final Consumer<Decided> committed;

  /** Takes {@code committed}, which answers the commands of a committed batch on any thread. */
  CommitResolver(
      CommitterConnections connections, CommandQueue queue, Consumer<Decided> committed) {
    this.connections = connections;
    this.queue = queue;
    this.committed = committed;
  }

  /** Tries once, for a second or two; empty if the database did not answer. */
  Optional<CommitState> resolve(CommitReceipt receipt, long batch) {
    try {
      var connection = connections.connect();
      try {
        var fate = receipt.resolve(connection, batch);
        LOG.info("a batch whose connection was lost at commit: {}", fate);
        return Optional.of(fate);
      } finally {
        CommitterConnections.release(connection);
      }
    } catch (SQLException e) {
      LOG.debug("a batch in doubt could not be resolved yet: {}", e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Retries on a thread of its own as long as a caller waits. The transaction in doubt may hold its
   * records for long, and other commands must not wait for it.
   *
   * @param receipt no longer used by its committer
   */
  void resolveLater(CommitReceipt receipt, long batch, Decided decided) {
    var again = new CompletableFuture<Void>();
    queue.park(decided.decided(), again);
    Thread.ofPlatform()
        .daemon()
        .name("commit-resolver")
        .start(() -> resolveInTime(receipt, batch, decided, again));
  }

  private void resolveInTime(
      CommitReceipt receipt, long batch, Decided decided, CompletableFuture<Void> again) {
    while (decided.decided().stream().anyMatch(pending -> !pending.isOver(System.nanoTime()))) {
      var fate = resolve(receipt, batch);
      if (fate.isPresent()) {
        switch (fate.get()) {
          case COMMITTED -> committed.accept(decided);
          case NOT_COMMITTED -> again.complete(null);
          case UNKNOWN -> decided.decided().forEach(CommitResolver::unknown);
        }
        return;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  static void unknown(QueuedCommand<?> pending) {
    pending.fail(new LedgerException.Unavailable("the outcome is unknown"));
  }
}
