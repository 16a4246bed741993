package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.OperationReads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;

/** The port to the application's operation service, which the testkit does not depend on. */
public interface OperationService {
  CompletableFuture<BeginOutcome> begin(BeginOperation command, Duration wait);

  <O> CompletableFuture<O> submit(Command<O> command);

  /** Removes expired records. */
  CompletableFuture<?> sweep();

  /** The number of waiting Begins. */
  int waiting();

  /** Creates the service on one node. */
  @FunctionalInterface
  interface Factory {
    OperationService on(Ledger ledger, OperationReads reads, ScheduledExecutorService timer);
  }
}
