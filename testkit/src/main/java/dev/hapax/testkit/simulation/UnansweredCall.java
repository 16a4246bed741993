package dev.hapax.testkit.simulation;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.UnlockedRecordsException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A submitted command without a response yet. */
final class UnansweredCall<O> {
  private final Command<O> asked;
  private Command<O> command;
  private final CompletableFuture<O> answer = new CompletableFuture<>();
  private @Nullable O outcome;

  UnansweredCall(Command<O> command) {
    this.asked = command;
    this.command = command;
  }

  /** The command as it was submitted. */
  Command<O> asked() {
    return asked;
  }

  /** With all records that it is known to need. */
  Command<O> command() {
    return command;
  }

  CompletableFuture<O> answer() {
    return answer;
  }

  /** Decides; empty if the command needs more records, and names them from now on. */
  Optional<O> decide(Batch batch) {
    try {
      outcome = batch.decide(command);
      return Optional.of(outcome);
    } catch (UnlockedRecordsException e) {
      command = e.widened(command);
      return Optional.empty();
    }
  }

  void answerWithOutcome() {
    answer.complete(Objects.requireNonNull(outcome, "decided"));
  }
}
