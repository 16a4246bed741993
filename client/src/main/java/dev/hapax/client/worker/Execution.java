package dev.hapax.client.worker;

import dev.hapax.client.FailureClassifier;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.Step;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** What a workflow and its branches share in one execution. */
final class Execution {

  private final TaskContext task;
  private final @Nullable Clock clock;
  private final CodeChanges codeChanges;
  private final KnownParts known;
  private final Queue<String> disposals = new ConcurrentLinkedQueue<>();

  /**
   * Creates an execution.
   *
   * @param clock of the worker; null = the time of Hapax decides
   */
  Execution(TaskContext task, @Nullable Clock clock, CodeChanges codeChanges) {
    this.task = task;
    this.clock = clock;
    this.codeChanges = codeChanges;
    this.known = new KnownParts(task.task(), task.reports());
  }

  TaskContext task() {
    return task;
  }

  Instant now() {
    Step step = task.task().getStep();
    if (clock == null && step.hasLeaseUntil()) {
      return lease().timeOfHapax(ProtoTimes.toJava(step.getLeaseUntil()));
    }
    return clock == null ? Instant.now() : clock.instant();
  }

  KnownParts known() {
    return known;
  }

  PartReports reports() {
    return task.reports();
  }

  StatePatch patch() {
    return task.reports().patch();
  }

  ClaimLease lease() {
    return task.lease();
  }

  Timing timing() {
    return task.inFlight().timing();
  }

  FailureClassifier classifier() {
    return task.inFlight().classifier();
  }

  Executor executor() {
    return task.inFlight().executor();
  }

  boolean interruptWhenLost() {
    return task.inFlight().interruptWhenLost();
  }

  /**
   * Checks that the code fits the records, before it begins something new.
   *
   * @throws EndExecution if it does not fit, and another worker is to continue
   */
  void checkFits(PartScope scope, ExecutionEnding ending, String next) {
    List<String> leftOver = known.leftOver(scope.prefix());
    if (!leftOver.isEmpty()) {
      codeChanges
          .found(task.runId(), leftOver, next)
          .ifPresent(
              end -> {
                throw ending.choose(end);
              });
    }
  }

  void disposeLater(String token) {
    disposals.add(token);
  }

  /**
   * Frees the tokens of closed hooks. An execution that waits or fails keeps those that it closes
   * on its way out.
   */
  void dispose() {
    for (String token = disposals.poll(); token != null; token = disposals.poll()) {
      task.hooks().dispose(token);
    }
  }
}
