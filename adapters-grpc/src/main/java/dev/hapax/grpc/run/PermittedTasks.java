package dev.hapax.grpc.run;

import dev.hapax.application.run.Tasks;
import dev.hapax.application.waiting.CancellableFutures;
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
    return CancellableFutures.then(
        tasks.queueOf(claim),
        queue -> {
          queue.ifPresent(name -> access.requireQueue(workspace, name));
          return useCase.get();
        });
  }
}
