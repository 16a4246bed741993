package dev.hapax.client.worker;

import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.InterruptibleThread;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.Task;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One task in the hands of this worker: handled once, and ended as its handler left it. */
final class TaskRun {

  private static final Logger log = LoggerFactory.getLogger(TaskRun.class);

  private final Task task;
  private final ClaimLease lease;
  private final TaskHandler handler;
  private final InFlightTasks bench;
  private final CompletableFuture<@Nullable Void> handled = new CompletableFuture<>();
  private volatile @Nullable TaskResult inHand;

  TaskRun(Task task, ClaimLease lease, TaskHandler handler, InFlightTasks bench) {
    this.task = task;
    this.lease = lease;
    this.handler = handler;
    this.bench = bench;
  }

  ClaimLease lease() {
    return lease;
  }

  String stepId() {
    return task.getStep().getId();
  }

  /**
   * Runs the handler.
   *
   * @param before the same step in this worker's hands, by a claim that is lost: two handlers never
   *     run at once, and what the first one did is not done again
   */
  void start(@Nullable TaskRun before) {
    if (before == null) {
      dispatch();
    } else {
      before.lease.take(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
      var unused = before.handled.whenComplete((any, error) -> follow(before));
    }
  }

  /** Nobody else had the step in between: then what the former handler left is still good. */
  private void follow(TaskRun before) {
    TaskResult left = before.inHand;
    if (left != null && attempt() == before.attempt() + 1) {
      log.info("task {} ends as its lost attempt did, which was not recorded", id());
      inHand = left;
      handled(null);
      end().left(left);
    } else {
      dispatch();
    }
  }

  private TaskEnd end() {
    return new TaskEnd(this, bench);
  }

  private int attempt() {
    return task.getStep().getAttempt();
  }

  private void dispatch() {
    try {
      bench.executor().execute(this::work);
    } catch (RejectedExecutionException refused) {
      log.error("task {} is left to its lease: the executor takes nothing", id(), refused);
      ended();
    }
  }

  private void work() {
    if (lease.isTaken()) {
      ended();
      return;
    }
    InterruptibleThread thread =
        bench.interruptWhenLost() ? new InterruptibleThread(lease::onLost) : null;
    TaskContext context =
        new TaskContext(
            task,
            lease,
            new StepRecorder(bench.calls(), lease),
            new TaskHooks(bench.calls(), lease, task.getRun().getId()));
    TaskResult result;
    try {
      result = Objects.requireNonNull(handler.handle(context), "the handler returned null");
      inHand = result;
    } catch (Throwable thrown) {
      handled(thread);
      end().failed(thrown);
      return;
    }
    handled(thread);
    end().left(result);
  }

  private void handled(@Nullable InterruptibleThread thread) {
    if (thread != null) {
      thread.ended();
    }
    lease.workEnded();
    handled.complete(null);
  }

  /** It has ended, or is left to its lease. */
  void ended() {
    handled.complete(null);
    bench.release(this);
  }

  String id() {
    return lease.claim().getId();
  }
}
