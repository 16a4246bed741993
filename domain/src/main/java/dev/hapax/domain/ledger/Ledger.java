package dev.hapax.domain.ledger;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Executes commands. Each sees the world as if it ran alone; what it changed is durable when its
 * future completes.
 */
public interface Ledger {
  /**
   * Queues a command and returns at once. The future completes with the outcome, or with a {@link
   * LedgerException} that says what is known: nothing happened, or nobody knows.
   */
  <O> CompletableFuture<O> submit(Command<O> command);

  /**
   * Calls {@code listener} with the keys each commit of this ledger changed, after the commit. The
   * listener must be quick and must not block.
   */
  default void onCommit(Consumer<Collection<RecordKey<?>>> listener) {
    onChanges(changes -> listener.accept(changes.keySet()));
  }

  /**
   * Calls {@code listener} with what each commit of this ledger changed, after the commit: the
   * records as the batch found and left them. The listener must be quick and must not block.
   */
  void onChanges(Consumer<Map<RecordKey<?>, Batch.Change>> listener);

  /**
   * Calls {@code listener} some time after other ledgers on the same database have committed, once
   * for many commits, without saying what changed.
   */
  void onForeignCommit(Runnable listener);
}
