package dev.hapax.client.worker;

import dev.hapax.client.Observer.TaskKind;
import dev.hapax.client.WorkFailure;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.CompleteTaskResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records the end of a task; then its slot is free. */
final class TaskEnd {

  private static final Logger log = LoggerFactory.getLogger(TaskEnd.class);

  private final TaskRun run;
  private final ClaimLease lease;
  private final InFlightTasks inFlight;

  TaskEnd(TaskRun run, InFlightTasks inFlight) {
    this.run = run;
    this.lease = run.lease();
    this.inFlight = inFlight;
  }

  /** Records the result of the handler. */
  void record(TaskResult result) {
    if (lease.isRevoked()) {
      discard();
    } else if (result instanceof Suspension suspension) {
      suspend(suspension);
    } else if (result instanceof Release release) {
      release(release);
    } else if (result instanceof Completion completion) {
      complete(completion);
    }
  }

  /**
   * Finds out whether the transaction that completed the task was committed. It asks only by
   * FailTask, which waits for a transaction that is still open: if it was rolled back, CompleteTask
   * would complete the step without its writes.
   */
  void confirm() {
    var unused =
        inFlight
            .calls()
            .fail(lease, TaskVerdict.notCommitted())
            .whenComplete(
                (response, error) -> {
                  if (error != null) {
                    unrecorded(error);
                    return;
                  }
                  if (response.hasClaimLost()) {
                    run.end(TaskKind.COMPLETED);
                    return;
                  }
                  log.warn(
                      "task {} failed: the transaction that completed it was not committed",
                      run.id());
                  run.end(TaskKind.RETRYABLE);
                });
  }

  /** Records an exception of the handler. */
  void recordFailure(Throwable thrown) {
    if (lease.isRevoked()) {
      log.debug("the handler of lost task {} threw", run.id(), thrown);
      discard();
      return;
    }
    if (thrown instanceof WorkFailure declared) {
      log.info("task {} failed: {} {}", run.id(), declared.code(), declared.getMessage());
    } else {
      log.warn("task {} failed", run.id(), thrown);
    }
    fail(TaskVerdict.of(thrown, inFlight.classifier()));
  }

  private void discard() {
    log.info("task {} was lost, its result is dropped", run.id());
    run.end(TaskKind.LOST);
  }

  private void complete(Completion completion) {
    var unused =
        inFlight
            .calls()
            .complete(lease, completion, inFlight.wantsNext())
            .whenComplete(
                (answer, error) -> {
                  if (answer != null) {
                    completed(answer);
                  } else if (error != null) {
                    rejected(error);
                  }
                });
  }

  private void completed(RetryingCalls.Answer<CompleteTaskResponse> answer) {
    CompleteTaskResponse response = answer.response();
    if (response.hasClaimLost()) {
      lost(response.getClaimLost());
    } else if (response.getCompleted().hasNext()) {
      run.worked(TaskKind.COMPLETED);
      inFlight.proceed(run, response.getCompleted().getNext(), answer);
    } else {
      run.end(TaskKind.COMPLETED);
    }
  }

  private void lost(ClaimLost lost) {
    log.warn("task {} was lost: {}", run.id(), lost.getReason());
    lease.revoke(lost.getReason());
    run.end(TaskKind.LOST);
  }

  private void suspend(Suspension suspension) {
    var unused =
        inFlight
            .calls()
            .suspend(lease, suspension)
            .whenComplete(
                (response, error) -> {
                  if (error != null) {
                    rejected(error);
                  } else {
                    run.end(response.hasClaimLost() ? TaskKind.LOST : TaskKind.SUSPENDED);
                  }
                });
  }

  /**
   * A release that is not recorded matters little: the lease expires, and another worker gets the
   * step.
   */
  private void release(Release release) {
    var unused =
        inFlight
            .calls()
            .release(lease, release)
            .whenComplete(
                (response, error) -> {
                  if (error != null) {
                    unrecorded(error);
                  } else {
                    run.end(response.hasClaimLost() ? TaskKind.LOST : TaskKind.RELEASED);
                  }
                });
  }

  /**
   * The effect has happened, so a rejected result is not retried: the step fails for an operator.
   */
  private void rejected(Throwable error) {
    if (TaskCalls.isRejected(error)) {
      log.error("Hapax rejected the result of task {}, failing the step", run.id(), error);
      fail(TaskVerdict.finalFailure("RESULT_REFUSED", UnaryCalls.statusOf(error).getMessage()));
    } else {
      unrecorded(error);
    }
  }

  private void fail(TaskVerdict verdict) {
    var unused =
        inFlight
            .calls()
            .fail(lease, verdict)
            .whenComplete(
                (response, error) -> {
                  if (error != null) {
                    unrecorded(error);
                  } else if (response.hasClaimLost()) {
                    run.end(TaskKind.LOST);
                  } else {
                    run.end(verdict.isFinal() ? TaskKind.FINAL : TaskKind.RETRYABLE);
                  }
                });
  }

  private void unrecorded(Throwable error) {
    log.error("the end of task {} may not be recorded: no response from Hapax", run.id(), error);
    run.end(TaskKind.UNRECORDED);
  }
}
