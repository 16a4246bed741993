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
  private final InFlightTasks bench;

  TaskEnd(TaskRun run, InFlightTasks bench) {
    this.run = run;
    this.lease = run.lease();
    this.bench = bench;
  }

  /** As its handler left it. */
  void left(TaskResult result) {
    if (lease.isTaken()) {
      dropped();
    } else if (result instanceof Suspension suspension) {
      suspend(suspension);
    } else if (result instanceof Release release) {
      release(release);
    } else if (result instanceof Completion completion) {
      complete(completion);
    }
  }

  /** With what its handler threw. */
  void failed(Throwable thrown) {
    if (lease.isTaken()) {
      log.debug("what the handler of lost task {} threw", run.id(), thrown);
      dropped();
      return;
    }
    if (thrown instanceof WorkFailure said) {
      log.info("task {} failed: {} {}", run.id(), said.code(), said.getMessage());
    } else {
      log.warn("task {} failed", run.id(), thrown);
    }
    fail(TaskVerdict.of(thrown, bench.classifier()));
  }

  private void dropped() {
    log.info("what the handler of lost task {} did is not recorded", run.id());
    run.ended();
  }

  private void complete(Completion completion) {
    var unused =
        bench
            .calls()
            .complete(lease, completion, bench.wantsNext())
            .whenComplete(
                (answer, error) -> {
                  if (answer != null) {
                    completed(answer);
                  } else if (error != null) {
                    notEnded(error);
                  }
                });
  }

  private void completed(RetryingCalls.Answer<CompleteTaskResponse> answer) {
    CompleteTaskResponse response = answer.response();
    if (response.hasClaimLost()) {
      log.warn("task {} was lost: {}", run.id(), response.getClaimLost().getReason());
    }
    if (response.getCompleted().hasNext()) {
      bench.proceed(run, response.getCompleted().getNext(), answer);
    } else {
      run.ended();
    }
  }

  private void suspend(Suspension suspension) {
    var unused =
        bench
            .calls()
            .suspend(lease, suspension)
            .whenComplete(
                (response, error) -> {
                  if (error != null) {
                    notEnded(error);
                  } else {
                    run.ended();
                  }
                });
  }

  /** A release that is not recorded changes little: the lease ends, and another worker goes on. */
  private void release(Release release) {
    var unused =
        bench
            .calls()
            .release(lease, release)
            .whenComplete(
                (response, error) -> {
                  if (error != null) {
                    unknown(error);
                  } else {
                    run.ended();
                  }
                });
  }

  /** The effect has happened: what Hapax will not take is not tried again, a person has to look. */
  private void notEnded(Throwable error) {
    if (TaskCalls.isRefused(error)) {
      log.error("the end of task {} is refused by Hapax", run.id(), error);
      fail(TaskVerdict.forGood("RESULT_REFUSED", UnaryCalls.statusOf(error).getMessage()));
    } else {
      unknown(error);
    }
  }

  private void fail(TaskVerdict verdict) {
    var unused =
        bench
            .calls()
            .fail(lease, verdict)
            .whenComplete(
                (response, error) -> {
                  if (error != null) {
                    unknown(error);
                  } else {
                    run.ended();
                  }
                });
  }

  private void unknown(Throwable error) {
    log.error("nobody knows whether the end of task {} is recorded", run.id(), error);
    run.ended();
  }
}
