package dev.hapax.client.worker;

import dev.hapax.client.FailureClassifier;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.Heartbeats;
import dev.hapax.client.internal.HolderCalls;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.Task;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tasks a worker has in its hands, and how many more it has freeListener for. */
final class InFlightTasks {

  private static final Logger log = LoggerFactory.getLogger(InFlightTasks.class);

  private final WorkerBuilder settings;
  private final Executor executor;
  private final Heartbeats heartbeats;
  private final TaskCalls calls;
  private final Map<String, TaskRun> byClaim = new HashMap<>();
  private final Map<String, TaskRun> byStep = new HashMap<>();
  private final CompletableFuture<@Nullable Void> empty = new CompletableFuture<>();
  private Runnable freeListener = () -> {};
  private boolean takesNext = true;
  private boolean closing;
  private boolean closed;

  InFlightTasks(WorkerBuilder settings, RetryingCalls transport) {
    this.settings = settings;
    this.executor = settings.executorOrDefault();
    this.heartbeats =
        new Heartbeats(settings.timing(), new TaskHeartbeats(transport, settings.workspace()));
    this.calls =
        new TaskCalls(new HolderCalls(transport, settings.recordTimeout()), settings.workspace());
  }

  /** Whom to tell that a task has ended. */
  void onFree(Runnable listener) {
    freeListener = listener;
  }

  synchronized int free() {
    return settings.concurrency() - byClaim.size();
  }

  /** Takes a task that a poll brought. */
  void take(Task task, RetryingCalls.Answer<?> answer) {
    begin(task, answer, null);
  }

  /** Takes the next task of the same run in the place of the one that has ended. */
  void proceed(TaskRun done, Task next, RetryingCalls.Answer<?> answer) {
    begin(next, answer, done);
  }

  private void begin(Task task, RetryingCalls.Answer<?> answer, @Nullable TaskRun done) {
    ClaimLease lease =
        new ClaimLease(
            settings.timing(),
            task.getClaim(),
            answer,
            ProtoTimes.toJava(task.getLeaseRemaining()),
            settings.holdAtMost());
    TaskRun run = new TaskRun(task, lease, settings.handlers().of(task), this);
    TaskRun before;
    synchronized (this) {
      if (closed || byClaim.putIfAbsent(task.getClaim().getId(), run) != null) {
        log.warn("task {} is not begun: it was before, or it is too late", task.getClaim().getId());
        run = null;
        before = null;
      } else {
        before = byStep.put(task.getStep().getId(), run);
      }
    }
    if (run != null) {
      heartbeats.keep(lease);
      // also when the task before it ends only now: its place is this one's
      run.start(before == done ? null : before);
    }
    if (done != null) {
      release(done);
    }
  }

  /** The task has ended, or is remaining to its lease. */
  void release(TaskRun run) {
    heartbeats.release(run.lease());
    synchronized (this) {
      byClaim.remove(run.lease().claim().getId(), run);
      byStep.remove(run.stepId(), run);
    }
    completeIfEmpty();
    freeListener.run();
  }

  /** No more tasks; done when those at hand have ended. */
  CompletableFuture<@Nullable Void> close() {
    synchronized (this) {
      closing = true;
    }
    completeIfEmpty();
    return empty;
  }

  private void completeIfEmpty() {
    boolean done;
    synchronized (this) {
      done = closing && byClaim.isEmpty();
    }
    if (done) {
      empty.complete(null);
    }
  }

  /** Leaves what is at hand to its leases: no more heartbeats, and no result is sent any more. */
  void abandon() {
    List<TaskRun> remaining;
    synchronized (this) {
      closed = true;
      remaining = List.copyOf(byClaim.values());
    }
    for (TaskRun run : remaining) {
      heartbeats.release(run.lease());
      run.lease().revoke(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    }
  }

  /** What ends from now on does not bring another task. */
  synchronized void stopTakingNext() {
    takesNext = false;
  }

  synchronized boolean wantsNext() {
    return takesNext;
  }

  Executor executor() {
    return executor;
  }

  TaskCalls calls() {
    return calls;
  }

  FailureClassifier classifier() {
    return settings.classifier();
  }

  boolean interruptWhenLost() {
    return settings.interruptWhenLost();
  }
}
