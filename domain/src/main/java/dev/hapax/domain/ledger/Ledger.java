package dev.hapax.domain.ledger;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Executes commands serializably; the changes of a command are durable when its future completes.
 */
public interface Ledger {
  /**
   * Queues a command and returns at once. The future completes with the outcome, or with a {@link
   * LedgerException} that says whether the command had no effect or its effect is unknown.
   */
  <O> CompletableFuture<O> submit(Command<O> command);

  /**
   * Why no call can be answered now, if that is so: the database has not answered for long, or this
   * server must not use it any more. Does not block.
   */
  default Optional<LedgerException.Unavailable> outage() {
    return Optional.empty();
  }

  /**
   * Registers a listener for the keys that each commit of this ledger changed, called after the
   * commit. It must be quick and must not block.
   */
  default void onCommit(Consumer<Collection<RecordKey<?>>> listener) {
    onChanges(changes -> listener.accept(changes.keySet()));
  }

  /**
   * Registers a listener for the records that each commit of this ledger changed, called after the
   * commit with their state before and after the batch. It must be quick and must not block.
   */
  void onChanges(Consumer<Map<RecordKey<?>, Batch.Change>> listener);

  /**
   * Registers a listener for commits of other ledgers on the same database, called some time after
   * one or more of them, without the changes.
   */
  void onRemoteCommit(Runnable listener);

  /**
   * Registers how an intent is taken that is pending on a record. Commands that need the record
   * wait until its future completes; a failure fails them.
   */
  default void onPendingIntent(Function<RecordKey<?>, CompletableFuture<?>> take) {}
}
