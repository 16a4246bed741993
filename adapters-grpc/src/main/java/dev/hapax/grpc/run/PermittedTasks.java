package dev.hapax.grpc.run;

import dev.hapax.application.run.Tasks;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.grpc.call.CallAccess;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Lets workers touch only tasks of the queues that they may work on, whatever claim they present.
 *
 * @param tasks finds the queue of a claim
 */
public record PermittedTasks(Tasks tasks) {

  /**
   * Calls the use case if the caller may work on the task's queue. Cancelling the future cancels
   * the use case. Only callers that are narrowed to queues cost a read.
   */
  public <O> CompletableFuture<O> call(TaskClaim claim, Supplier<CompletableFuture<O>> useCase) {
    var access = CallAccess.current();
    var workspace = claim.run().workspace();
    if (!access.isNarrowedToQueues(workspace)) {
      return useCase.get();
    }
    var answer = new CompletableFuture<O>();
    var _ =
        tasks
            .queueOf(claim)
            .thenAccept(queue -> queue.ifPresent(name -> access.requireQueue(workspace, name)))
            .whenComplete(
                (_, refusal) -> {
                  if (refusal == null) {
                    pass(useCase, answer);
                  } else {
                    answer.completeExceptionally(refusal);
                  }
                });
    return answer;
  }

  private static <O> void pass(
      Supplier<CompletableFuture<O>> useCase, CompletableFuture<O> answer) {
    if (answer.isDone()) {
      return;
    }
    var called = useCase.get();
    var _ = answer.whenComplete((_, _) -> called.cancel(false));
    var _ =
        called.whenComplete(
            (outcome, failure) -> {
              if (failure == null) {
                answer.complete(outcome);
              } else {
                answer.completeExceptionally(failure);
              }
            });
  }
}
