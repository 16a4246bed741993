package dev.hapax.testkit.ledger;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.RecordKey;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Nodes on one in-memory ledger, all in one thread. Each node is notified at once of the changes of
 * its own commits, and of the fact of commits by other nodes.
 */
public final class InMemoryCluster {
  private final InMemoryLedger ledger;
  private final Deque<Ledger> committing = new ArrayDeque<>();

  public InMemoryCluster(InMemoryLedger ledger) {
    this.ledger = ledger;
  }

  /** Adds a node. */
  public Ledger node() {
    return new Node();
  }

  private final class Node implements Ledger {
    @Override
    public <O> CompletableFuture<O> submit(Command<O> command) {
      committing.push(this);
      try {
        return ledger.submit(command);
      } finally {
        committing.pop();
      }
    }

    @Override
    public void onChanges(Consumer<Map<RecordKey<?>, Batch.Change>> listener) {
      ledger.onChanges(
          changes -> {
            if (committing.peek() == this) {
              listener.accept(changes);
            }
          });
    }

    @Override
    public void onRemoteCommit(Runnable listener) {
      ledger.onCommit(
          _ -> {
            if (committing.peek() != this) {
              listener.run();
            }
          });
    }
  }
}
