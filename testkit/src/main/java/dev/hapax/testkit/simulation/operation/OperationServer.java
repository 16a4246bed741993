package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.testkit.simulation.SimulatedNode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The service on one node, whose responses the checker observes. */
record OperationServer(SimulatedNode node, OperationService service, OperationChecker checker) {

  CompletableFuture<BeginOutcome> begin(BeginOperation command, Duration wait) {
    return checker.watch(command, wait, service.begin(command, wait));
  }

  <O> CompletableFuture<O> submit(Command<O> command) {
    return checker.watch(command, service.submit(command));
  }
}
