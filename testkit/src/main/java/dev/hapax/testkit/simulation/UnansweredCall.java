package dev.hapax.testkit.simulation;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A submitted command without a response yet. */
final class UnansweredCall<O> {
  private final Command<O> command;
  private final CompletableFuture<O> answer = new CompletableFuture<>();
  private @Nullable O outcome;

  UnansweredCall(Command<O> command) {
    this.command = command;
  }

  Command<O> command() {
    return command;
  }

  CompletableFuture<O> answer() {
    return answer;
  }

  O decide(Batch batch) {
    outcome = batch.decide(command);
    return outcome;
  }

  void answerWithOutcome() {
    answer.complete(Objects.requireNonNull(outcome, "decided"));
  }
}
