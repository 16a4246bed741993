package dev.hapax.testkit.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationClaimLost;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Executes commands on a ledger and waits for their outcomes. */
record Answers(Ledger ledger) {

  <O> O to(Command<O> command) {
    return await(ledger.submit(command));
  }

  /** Submits all commands before waiting for the first. */
  <O> List<O> toAll(Collection<? extends Command<O>> commands) {
    return commands.stream().map(ledger::submit).toList().stream().map(Answers::await).toList();
  }

  BeginOutcome.Acquired acquired(BeginOperation begin) {
    return as(BeginOutcome.Acquired.class, to(begin));
  }

  static <O> O await(CompletableFuture<O> answer) {
    return answer.orTimeout(30, TimeUnit.SECONDS).join();
  }

  static <T> T as(Class<T> type, Object outcome) {
    assertThat(outcome).isInstanceOf(type);
    return type.cast(outcome);
  }

  static Operation standing(Object outcome) {
    return as(OperationClaimLost.class, outcome).standing().orElseThrow();
  }
}
