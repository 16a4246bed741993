package dev.hapax.application.operation;

import dev.hapax.application.waiting.Places;
import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.Page;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationReads;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Idempotency keys: every verb is one command to the ledger; a Begin may wait. */
public final class Operations {
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);
  private final Ledger ledger;
  private final ScheduledExecutorService timer;
  private final OperationReads reads;
  private final Waiters<OperationId> waiters;

  // guarded by this
  private boolean looksAgain;

  public Operations(
      Ledger ledger, OperationReads reads, Places places, ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.reads = reads;
    this.timer = timer;
    this.waiters = new Waiters<>(places);
    ledger.onCommit(waiters::wake);
    ledger.onForeignCommit(this::lookForEnded);
  }

  /**
   * Begins; while another holder's lease is live, waits for it. Cancelling the future ends the
   * wait.
   */
  public CompletableFuture<BeginOutcome> begin(BeginOperation command, Duration wait) {
    if (wait.isZero()) {
      return ledger.submit(command);
    }
    return new WaitingBegin(command, ledger, waiters, timer).start(wait);
  }

  /** Completes, fails, renews or resolves. */
  public <O> CompletableFuture<O> submit(Command<O> verb) {
    return ledger.submit(verb);
  }

  public CompletableFuture<Optional<Operation>> find(OperationId id) {
    return reads.find(id);
  }

  public CompletableFuture<Page<OperationReads.Listed, OperationReads.Position>> list(
      OperationReads.Query query) {
    return reads.list(query);
  }

  /** Another node's commits say not what they changed: ask for those somebody waits for here. */
  private void lookForEnded() {
    var held = waiters.keys();
    if (!held.isEmpty()) {
      var _ = reads.ended(held).whenComplete((ended, _) -> looked(ended));
    }
  }

  /** Nothing = the look failed. */
  private void looked(@Nullable Set<OperationId> ended) {
    if (ended == null) {
      lookAgain();
    } else {
      waiters.wake(ended);
    }
  }

  /** No other commit may come that would ask for what this look did not find. */
  private synchronized void lookAgain() {
    if (!looksAgain) {
      looksAgain = true;
      var _ = timer.schedule(this::nextLook, LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void nextLook() {
    synchronized (this) {
      looksAgain = false;
    }
    lookForEnded();
  }

  /** Ends every wait with what is decided then. */
  public void stopWaiting() {
    waiters.close();
  }
}
