package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.postgres.ledger.BatchTransaction.Decided;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notifies listeners of committed batches. A listener that fails does not affect the others. */
final class CommitListeners {
  private static final Logger LOG = LoggerFactory.getLogger(CommitListeners.class);
  private final CommitNotifier signal;
  private final List<Consumer<Map<RecordKey<?>, Batch.Change>>> listeners =
      new CopyOnWriteArrayList<>();
  private final List<LedgerObserver> observers = new CopyOnWriteArrayList<>();

  CommitListeners(CommitNotifier signal) {
    this.signal = signal;
  }

  void onChanges(Consumer<Map<RecordKey<?>, Batch.Change>> listener) {
    listeners.add(listener);
  }

  void observe(LedgerObserver observer) {
    observers.add(observer);
  }

  /**
   * Notifies all of them, on the thread that answers.
   *
   * @param nanos from the begin of the batch to its commit
   */
  void committed(Decided batch, long nanos) {
    var changed = batch.changed();
    if (!changed.isEmpty()) {
      signal.committed();
      listeners.forEach(listener -> runGuarded(() -> listener.accept(changed)));
    }
    var commands = batch.decided().size();
    observers.forEach(
        observer -> runGuarded(() -> observer.committed(commands, changed.size(), nanos)));
  }

  /** Measures a command from now to its answer. */
  void submitted(Command<?> command, CompletableFuture<?> outcome) {
    if (!observers.isEmpty()) {
      var begunNanos = System.nanoTime();
      var _ =
          outcome.whenComplete(
              (_, _) -> {
                var nanos = System.nanoTime() - begunNanos;
                observers.forEach(observer -> runGuarded(() -> observer.answered(command, nanos)));
              });
    }
  }

  private static void runGuarded(Runnable listener) {
    try {
      listener.run();
    } catch (RuntimeException | Error e) {
      LOG.error("a listener to commits failed", e);
    }
  }
}
