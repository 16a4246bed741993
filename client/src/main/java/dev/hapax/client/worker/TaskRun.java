package dev.hapax.client.worker;

import dev.hapax.client.Observer.TaskKind;
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

/** One task in this worker: run once by its handler, then recorded. */
final class TaskRun {

  private static final Logger log = LoggerFactory.getLogger(TaskRun.class);

  private final Task task;
  private final ClaimLease lease;
  private final TaskHandler handler;
  private final InFlightTasks inFlight;
  private final long receivedAt;
  private final CompletableFuture<@Nullable Void> handlerEnded = new CompletableFuture<>();
  private volatile @Nullable TaskResult unrecorded;

  TaskRun(Task task, ClaimLease lease, TaskHandler handler, InFlightTasks inFlight) {
    this.task = task;
    this.lease = lease;
    this.handler = handler;
    this.inFlight = inFlight;
    this.receivedAt = inFlight.nanos();
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
   * @param before an earlier task of the same step in this worker, whose claim is lost: two
   *     handlers of a step never run at once, and the result of the first is kept
   */
  void start(@Nullable TaskRun before) {
    if (before == null) {
      dispatch();
    } else {
      before.lease.revoke(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
      var unused = before.handlerEnded.whenComplete((any, error) -> follow(before));
    }
  }

  /** Keeps the earlier result if no other worker had the step in between, else runs the handler. */
  private void follow(TaskRun before) {
    TaskResult earlier = before.unrecorded;
    if (earlier != null && attempt() == before.attempt() + 1) {
      log.info("task {} records the result of its lost attempt", id());
      unrecorded = earlier;
      handlerEnded(null);
      end().record(earlier);
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
      log.error(
          "the executor rejected task {}; it will be handed out again when its lease expires",
          id(),
          refused);
      end(TaskKind.UNRECORDED);
    }
  }

  private void work() {
    if (lease.isRevoked()) {
      end(TaskKind.LOST);
      return;
    }
    InterruptibleThread thread =
        inFlight.interruptWhenLost() ? new InterruptibleThread(lease::onLost) : null;
    TaskTransaction transaction = inFlight.transaction(lease);
    TaskContext context = new TaskContext(task, lease, inFlight, transaction);
    TaskResult result;
    boolean isSent;
    try {
      result = inFlight.inSpan(task, this::handle, context);
      isSent = transaction.isUsed() && result instanceof Completion;
      // a call must not complete what a transaction did not commit
      unrecorded = isSent ? null : result;
    } catch (Throwable thrown) {
      handlerEnded(thread);
      end().recordFailure(thrown);
      return;
    }
    handlerEnded(thread);
    if (isSent) {
      end().confirm();
    } else {
      end().record(result);
    }
  }

  private TaskResult handle(TaskContext context) throws Exception {
    return Objects.requireNonNull(handler.handle(context), "the handler returned null");
  }

  private void handlerEnded(@Nullable InterruptibleThread thread) {
    if (thread != null) {
      thread.ended();
    }
    lease.workEnded();
    handlerEnded.complete(null);
  }

  /** Reports the end of the task to the observer. */
  void worked(TaskKind kind) {
    inFlight.worked(task, kind, receivedAt);
  }

  /** Ends the task: it is recorded, or its lease expires. */
  void end(TaskKind kind) {
    worked(kind);
    handlerEnded.complete(null);
    inFlight.release(this);
  }

  String id() {
    return lease.claim().getId();
  }
}
