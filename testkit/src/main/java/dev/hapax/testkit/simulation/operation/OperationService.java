package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.OperationReads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;

/** What the application makes of a node; the testkit does not know the application. */
public interface OperationService {
  CompletableFuture<BeginOutcome> begin(BeginOperation command, Duration wait);

  <O> CompletableFuture<O> submit(Command<O> verb);

  /** Removes what is forgotten. */
  CompletableFuture<?> sweep();

  /** How many Begins wait. */
  int waiting();

  /** Sets it up on one node. */
  @FunctionalInterface
  interface Factory {
    OperationService on(Ledger ledger, OperationReads reads, ScheduledExecutorService timer);
  }
}
