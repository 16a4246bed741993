package dev.hapax.application.operation;

import dev.hapax.application.waiting.CancellableFutures;
import dev.hapax.application.waiting.RecordPoll;
import dev.hapax.application.waiting.RecordPoll.Next;
import dev.hapax.application.waiting.RemoteChangeProbe;
import dev.hapax.application.waiting.WaiterQuota;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;

/** The operations on idempotency keys: each call is one ledger command, and a Begin may wait. */
public final class Operations {
  private final Ledger ledger;
  private final ScheduledExecutorService timer;
  private final OperationReads reads;
  private final Waiters<OperationId> waiters;

  public Operations(
      Ledger ledger, OperationReads reads, WaiterQuota places, ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.reads = reads;
    this.timer = timer;
    this.waiters = Waiters.oneByOne(places);
    ledger.onCommit(waiters::wake);
    ledger.onRemoteCommit(new RemoteChangeProbe<>(waiters, reads::ended, timer)::wakeChanged);
  }

  /**
   * Begins an operation, and waits while another holder's lease is live. Cancelling the future ends
   * the wait, and withdraws the command if the ledger has not begun it.
   */
  public CompletableFuture<BeginOutcome> begin(BeginOperation command, Duration wait) {
    if (wait.isZero()) {
      return ledger.submit(command);
    }
    return new RecordPoll<>(
            command.id(), waiters, timer, waited -> submit(command, waited), Operations::next)
        .start(wait);
  }

  private CompletableFuture<BeginOutcome> submit(BeginOperation command, Duration waited) {
    return CancellableFutures.then(
        ledger.submit(command),
        outcome ->
            CompletableFuture.completedFuture(
                outcome instanceof BeginOutcome.Acquired acquired
                    ? acquired.afterWaiting(waited)
                    : outcome));
  }

  private static Next next(BeginOutcome outcome) {
    return switch (outcome) {
      case BeginOutcome.InProgress held -> new Next.Within(held.leaseRemaining());
      case BeginOutcome.Acquired _ -> new Next.Taken();
      case BeginOutcome.Replayed _,
          BeginOutcome.KeyReused _,
          BeginOutcome.Indeterminate _,
          BeginOutcome.Untracked _,
          BeginOutcome.AccountMismatch _ ->
          new Next.Answer();
    };
  }

  /** Submits a Complete, Fail, Renew or Resolve. */
  public <O> CompletableFuture<O> submit(Command<O> command) {
    return ledger.submit(command);
  }

  public CompletableFuture<Optional<Operation>> find(OperationId id) {
    return reads.find(id);
  }

  public CompletableFuture<Page<OperationReads.Listed, OperationReads.Position>> list(
      OperationReads.Query query) {
    return reads.list(query);
  }

  /** Ends every wait with the current outcome. */
  public void stopWaiting() {
    waiters.close();
  }
}
