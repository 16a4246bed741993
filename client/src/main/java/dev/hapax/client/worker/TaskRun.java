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

/** One task in the hands of this worker: handlerEnded once, and ended as its handler left it. */
final class TaskRun {

  private static final Logger log = LoggerFactory.getLogger(TaskRun.class);

  private final Task task;
  private final ClaimLease lease;
  private final TaskHandler handler;
  private final InFlightTasks inFlight;
  private final CompletableFuture<@Nullable Void> handlerEnded = new CompletableFuture<>();
  private volatile @Nullable TaskResult unrecorded;

  TaskRun(Task task, ClaimLease lease, TaskHandler handler, InFlightTasks inFlight) {
    this.task = task;
    this.lease = lease;
    this.handler = handler;
    this.inFlight = inFlight;
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
      before.lease.revoke(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
      var unused = before.handlerEnded.whenComplete((any, error) -> follow(before));
    }
  }

  /** Nobody else had the step in between: then what the former handler left is still good. */
  private void follow(TaskRun before) {
    TaskResult left = before.unrecorded;
    if (left != null && attempt() == before.attempt() + 1) {
      log.info("task {} ends as its lost attempt did, which was not recorded", id());
      unrecorded = left;
      handlerEnded(null);
      end().record(left);
    } else {
      dispatch();
    }
  }

  private TaskEnd end() {
    return new TaskEnd(this, inFlight);
  }

  private int attempt() {
    return task.getStep().getAttempt();
  }

  private void dispatch() {
    try {
      inFlight.executor().execute(this::work);
    } catch (RejectedExecutionException refused) {
      log.error("task {} is left to its lease: the executor takes nothing", id(), refused);
      ended();
    }
  }

  private void work() {
    if (lease.isRevoked()) {
      ended();
      return;
    }
    InterruptibleThread thread =
        inFlight.interruptWhenLost() ? new InterruptibleThread(lease::onLost) : null;
    TaskContext context =
        new TaskContext(
            task,
            lease,
            new StepRecorder(inFlight.calls(), lease),
            new TaskHooks(inFlight.calls(), lease, task.getRun().getId()));
    TaskResult result;
    try {
      result = Objects.requireNonNull(handler.handle(context), "the handler returned null");
      unrecorded = result;
    } catch (Throwable thrown) {
      handlerEnded(thread);
      end().recordFailure(thrown);
      return;
    }
    handlerEnded(thread);
    end().record(result);
  }

  private void handlerEnded(@Nullable InterruptibleThread thread) {
    if (thread != null) {
      thread.ended();
    }
    lease.workEnded();
    handlerEnded.complete(null);
  }

  /** It has ended, or is left to its lease. */
  void ended() {
    handlerEnded.complete(null);
    inFlight.release(this);
  }

  String id() {
    return lease.claim().getId();
  }
}
