package dev.hapax.grpc.run;

import dev.hapax.application.run.Tasks;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.CompleteTaskOutcome;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.TaskLost;
import dev.hapax.v1.CompleteTaskResponse;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** CompleteTask, with the next task if one was wanted. */
record TaskCompletion(Tasks tasks, CompleteTask command) {

  /**
   * What is answered.
   *
   * @param next the run, if the caller now holds its next task
   */
  record Answer(CompleteTaskResponse response, Optional<Run> next) {}

  /** Cancelling the future gives the next task back; the completion stands. */
  CompletableFuture<Answer> complete() {
    var ended = tasks.complete(command);
    var answer = ended.thenCompose(this::answer);
    var _ =
        answer.whenComplete(
            (_, failure) -> {
              if (failure != null) {
                var _ = ended.thenAccept(outcome -> next(outcome).ifPresent(tasks::giveBack));
              }
            });
    return answer;
  }

  private CompletableFuture<Answer> answer(CompleteTaskOutcome outcome) {
    return switch (outcome) {
      case CompleteTaskOutcome.Completed completed -> completed(completed);
      case TaskLost lost ->
          CompletableFuture.completedFuture(
              new Answer(
                  CompleteTaskResponse.newBuilder().setClaimLost(TaskEncoding.lost(lost)).build(),
                  Optional.empty()));
      case CompleteTaskOutcome.NoSuchSignal(var signalId) ->
          throw TaskDecoding.noSuchSignal(signalId);
      case CompleteTaskOutcome.StateTooLarge _ -> throw RunErrors.stateTooLarge();
    };
  }

  private CompletableFuture<Answer> completed(CompleteTaskOutcome.Completed outcome) {
    var completed =
        CompleteTaskResponse.Completed.newBuilder()
            .setRunStatus(RunEncoding.status(outcome.run().status()))
            .setAlready(outcome.already());
    var next = next(outcome);
    return next.map(
            run -> tasks.task(run).thenApply(task -> completed.setNext(TaskEncoding.task(task))))
        .orElseGet(() -> CompletableFuture.completedFuture(completed))
        .thenApply(
            message ->
                new Answer(CompleteTaskResponse.newBuilder().setCompleted(message).build(), next));
  }

  /** Held because of this completion; also when it is sent again. */
  private Optional<Run> next(CompleteTaskOutcome outcome) {
    return outcome instanceof CompleteTaskOutcome.Completed(var run, _)
        ? Optional.of(run).filter(this::isHeldAfter)
        : Optional.empty();
  }

  private boolean isHeldAfter(Run run) {
    var nonce = OptionalLong.of(command.claim().nonce());
    return run.held().filter(held -> held.grant().after().equals(nonce)).isPresent();
  }
}
