package dev.hapax.client.worker;

import dev.hapax.client.FailureClassifier;
import dev.hapax.client.Observer;
import dev.hapax.client.Observer.HolderKind;
import dev.hapax.client.Observer.TaskKind;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.DetectedTraces;
import dev.hapax.client.internal.Heartbeats;
import dev.hapax.client.internal.HolderCalls;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.Task;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tasks in progress of a worker, and its free capacity. */
final class InFlightTasks {

  private static final Logger log = LoggerFactory.getLogger(InFlightTasks.class);
  private static final int ENDED_KEPT = 10_000;

  private final WorkerBuilder settings;
  private final Executor executor;
  private final Heartbeats heartbeats;
  private final TaskCalls calls;
  private final Observer observer;
  private final Map<String, TaskRun> byClaim = new HashMap<>();
  private final Map<String, TaskRun> byStep = new HashMap<>();
  private final Set<String> ended =
      Collections.newSetFromMap(
          new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
              return size() > ENDED_KEPT;
            }
          });
  private final CompletableFuture<@Nullable Void> empty = new CompletableFuture<>();
  private Runnable freeListener = () -> {};
  private boolean takesNext = true;
  private boolean closing;
  private boolean closed;

  InFlightTasks(WorkerBuilder settings, RetryingCalls transport) {
    this.settings = settings;
    this.executor = settings.executorOrDefault();
    this.observer = settings.observer();
    this.heartbeats =
        new Heartbeats(settings.timing(), new TaskHeartbeats(transport, settings.workspace()));
    this.calls =
        new TaskCalls(new HolderCalls(transport, settings.recordTimeout()), settings.workspace());
  }

  /** Sets the listener for free capacity, all of which is free. */
  void onFree(Runnable listener) {
    freeListener = listener;
    observer.slotsChanged(0, settings.concurrency());
  }

  /** Reports the end of a task to the observer. */
  void worked(Task task, TaskKind kind, long sinceNanos) {
    observer.worked(
        task.getRun().getDefinition(),
        task.getStep().getName(),
        kind,
        Duration.ofNanos(settings.timing().nanos() - sinceNanos));
  }

  long nanos() {
    return settings.timing().nanos();
  }

  synchronized int free() {
    return settings.concurrency() - byClaim.size();
  }

  /** Starts a task that was received. */
  void take(Task task, RetryingCalls.Answer<?> answer) {
    begin(task, answer, null);
  }

  /** Starts the next task of the same run in the slot of the one that has ended. */
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
            settings.holdAtMost(),
            () -> observer.lost(HolderKind.TASK));
    TaskRun run = new TaskRun(task, lease, settings.handlers().of(task), this);
    TaskRun before;
    synchronized (this) {
      if (closed
          || ended.contains(task.getClaim().getId())
          || byClaim.putIfAbsent(task.getClaim().getId(), run) != null) {
        log.warn(
            "task {} is ignored: it was received before, or the worker has stopped",
            task.getClaim().getId());
        run = null;
        before = null;
      } else {
        before = byStep.put(task.getStep().getId(), run);
      }
    }
    if (run != null) {
      observer.slotsChanged(1, -1);
      heartbeats.keep(lease);
      // without waiting for the previous task of the run: this one has its slot
      run.start(before == done ? null : before);
    }
    if (done != null) {
      release(done);
    }
  }

  /** Frees the slot of a task that has ended or is abandoned. */
  void release(TaskRun run) {
    heartbeats.release(run.lease());
    boolean freed;
    synchronized (this) {
      freed = byClaim.remove(run.lease().claim().getId(), run);
      ended.add(run.lease().claim().getId());
      byStep.remove(run.stepId(), run);
    }
    if (freed) {
      observer.slotsChanged(-1, 1);
    }
    completeIfEmpty();
    freeListener.run();
  }

  /** Accepts no more tasks; done when those in progress have ended. */
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
    if (done && empty.complete(null)) {
      observer.slotsChanged(0, -settings.concurrency());
    }
  }

  /** Abandons the tasks in progress: no more heartbeats, and no more results. */
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

  /** Ends requests for the next task of a run. */
  synchronized void stopTakingNext() {
    takesNext = false;
  }

  synchronized boolean wantsNext() {
    return takesNext;
  }

  /** Runs the handler in a span. */
  TaskResult inSpan(Task task, TaskHandler handler, TaskContext context) throws Exception {
    UnaryOperator<TaskHandler> own = settings.ownSpans();
    return own == null
        ? DetectedTraces.INSTANCE.inSpan(task, () -> handler.handle(context))
        : own.apply(handler).handle(context);
  }

  Executor executor() {
    return executor;
  }

  TaskCalls calls() {
    return calls;
  }

  /** A transaction that may complete the task with this lease. */
  TaskTransaction transaction(ClaimLease lease) {
    return new TaskTransaction(lease, heartbeats, settings.workspace());
  }

  Timing timing() {
    return settings.timing();
  }

  FailureClassifier classifier() {
    return settings.classifier();
  }

  boolean interruptWhenLost() {
    return settings.interruptWhenLost();
  }
}
