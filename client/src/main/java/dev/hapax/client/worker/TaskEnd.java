package dev.hapax.client.worker;

import dev.hapax.client.WorkFailure;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.v1.CompleteTaskResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a task of this worker ends, once its handler has; then its place is free. */
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

  /** As its handler record it. */
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

  /** With what its handler threw. */
  void recordFailure(Throwable thrown) {
    if (lease.isRevoked()) {
      log.debug("what the handler of lost task {} threw", run.id(), thrown);
      discard();
      return;
    }
    if (thrown instanceof WorkFailure declared) {
      log.info("task {} recordFailure: {} {}", run.id(), declared.code(), declared.getMessage());
    } else {
      log.warn("task {} recordFailure", run.id(), thrown);
    }
    fail(TaskVerdict.of(thrown, inFlight.classifier()));
  }

  private void discard() {
    log.info("what the handler of lost task {} did is not recorded", run.id());
    run.ended();
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
      log.warn("task {} was lost: {}", run.id(), response.getClaimLost().getReason());
    }
    if (response.getCompleted().hasNext()) {
      inFlight.proceed(run, response.getCompleted().getNext(), answer);
    } else {
      run.ended();
    }
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
                    run.ended();
                  }
                });
  }

  /** A release that is not recorded changes little: the lease ends, and another worker goes on. */
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
                    run.ended();
                  }
                });
  }

  /** The effect has happened: what Hapax will not take is not tried again, a person has to look. */
  private void rejected(Throwable error) {
    if (TaskCalls.isRefused(error)) {
      log.error("the end of task {} is refused by Hapax", run.id(), error);
      fail(TaskVerdict.forGood("RESULT_REFUSED", UnaryCalls.statusOf(error).getMessage()));
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
                  } else {
                    run.ended();
                  }
                });
  }

  private void unrecorded(Throwable error) {
    log.error("nobody knows whether the end of task {} is recorded", run.id(), error);
    run.ended();
  }
}
