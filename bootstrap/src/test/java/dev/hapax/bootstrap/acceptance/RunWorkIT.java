package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.Step;
import dev.hapax.v1.StepStatus;
import dev.hapax.v1.Task;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class RunWorkIT {
  private final Deployment deployment = Deployment.shared();
  private final RunCaller caller = RunCaller.to(deployment.target());

  @AfterEach
  void close() {
    caller.close();
  }

  @Test
  @DisplayName("a three-step run ends at version 8, with one event for each version [R6, R14]")
  void threeSteps() {
    caller.define("order", RunCaller.task("a"), RunCaller.task("b"), RunCaller.task("c"));
    var id = caller.started("order");
    for (var step : new String[] {"a", "b", "c"}) {
      var task = caller.poll("worker");
      assertThat(task.getStep().getName()).isEqualTo(step);
      var before = caller.get(id).getVersion();
      assertThat(caller.complete(task.getClaim(), "\"" + step + "\"").hasCompleted()).isTrue();
      assertThat(caller.get(id).getVersion()).isEqualTo(before + (step.equals("c") ? 2 : 1));
    }

    var run = caller.get(id);
    assertThat(run.getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(run.getVersion()).isEqualTo(8);
    assertThat(run.getOutput()).isEqualTo(Caller.json("\"c\""));
    assertThat(caller.events(id))
        .extracting(RunEvent::getVersion)
        .containsExactlyElementsOf(LongStream.rangeClosed(1, 8).boxed().toList());
    assertThat(caller.steps(id))
        .extracting(Step::getStatus)
        .containsOnly(StepStatus.STEP_STATUS_COMPLETED)
        .hasSize(3);
  }

  @Test
  @DisplayName("want_next hands on the next task of the queue with the completion [R6]")
  void wantNext() {
    caller.define("order", RunCaller.task("a"), RunCaller.task("b"));
    var id = caller.started("order");
    var first = caller.poll("worker");
    var request = caller.completion(first.getClaim()).setWantNext(true).build();
    var next = caller.worker().completeTask(request).getCompleted().getNext();
    assertThat(next.getStep().getName()).isEqualTo("b");
    // X1: sent again it is the same task with the same fence
    var again = caller.worker().completeTask(request).getCompleted();
    assertThat(again.getAlready()).isTrue();
    assertThat(again.getNext().getClaim()).isEqualTo(next.getClaim());

    assertThat(caller.complete(next.getClaim(), "1").getCompleted().getRunStatus())
        .isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(caller.get(id).getVersion()).isEqualTo(6);
  }

  @RepeatedTest(
      value = 4,
      name = "a poll sent again without a wait, as a stopping worker does, loses no task " + "[X1]")
  void lastPoll(RepetitionInfo repetition) {
    caller.define("order", RunCaller.task("charge"));
    for (var round = 0; round < 10; round++) {
      var poll = caller.polling("worker");
      var first = caller.workers().pollTasks(poll.build());
      var start = caller.futures().startRun(caller.start("order").build());
      if (repetition.getCurrentRepetition() % 2 == 0) {
        first.cancel(true);
      }

      var last = new ArrayList<>(caller.poll(poll.setWait(Caller.millis(0))));

      assertThat(ConcurrentCalls.answer(start).getCreated()).isTrue();
      if (!first.isCancelled()) {
        last.addAll(ConcurrentCalls.answer(first).getTasksList());
      }
      // it came with an answer, or is free at once: the lease is longer than this test may take
      var task = last.isEmpty() ? caller.poll("other") : last.getFirst();
      assertThat(task.getStep().getAttempt()).isOne();
      assertThat(last).extracting(Task::getClaim).allMatch(task.getClaim()::equals);
      assertThat(caller.complete(task.getClaim(), "1").hasCompleted()).isTrue();
    }
  }

  @Test
  @DisplayName(
      "past its lease a step is another worker's, under the same step id [R8, R12, " + "R13]")
  void leaseLost() {
    caller.define("order", RunCaller.shortTask("charge"));
    var id = caller.started("order");
    var first = caller.poll("first");

    var second = caller.poll("second");
    renew(second.getClaim());

    assertThat(second.getStep().getId()).isEqualTo(first.getStep().getId()).isNotEmpty();
    assertThat(second.getStep().getAttempt()).isEqualTo(2);
    assertThat(second.getClaim().getFence()).isGreaterThan(first.getClaim().getFence());
    var before = caller.get(id);
    assertThat(caller.complete(first.getClaim(), "1").getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    assertThat(caller.get(id)).isEqualTo(before);
    assertThat(caller.complete(second.getClaim(), "2").hasCompleted()).isTrue();
    assertThat(caller.get(id).getOutput()).isEqualTo(Caller.json("2"));
    assertThat(caller.events(id))
        .extracting(RunEvent::getType)
        .containsOnlyOnce(RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED)
        .contains(RunEventType.RUN_EVENT_TYPE_LEASE_LOST);
  }

  /** For longer than the test may take. */
  private void renew(Claim claim) {
    var heartbeat =
        HeartbeatTasksRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .addClaims(claim)
            .setLease(Caller.seconds(60))
            .build();
    assertThat(caller.worker().heartbeatTasks(heartbeat).getResults(0).hasRenewed()).isTrue();
  }

  @Test
  @DisplayName(
      "after the last attempt step and run are FAILED, until a retry by hand [R11, " + "R13]")
  void retries() {
    caller.define("order", RunCaller.task("charge"));
    var id = caller.started("order");
    var stepId = "";
    for (var attempt = 1; attempt <= 3; attempt++) {
      var task = caller.poll("worker");
      assertThat(task.getStep().getAttempt()).isEqualTo(attempt);
      assertThat(stepId.isEmpty() || stepId.equals(task.getStep().getId())).isTrue();
      stepId = task.getStep().getId();
      var failed =
          caller
              .worker()
              .failTask(caller.failure(task.getClaim(), FailureKind.FAILURE_KIND_RETRYABLE).build())
              .getFailed();
      assertThat(failed.hasRetryAt()).isEqualTo(attempt < 3);
    }
    var run = caller.get(id);
    assertThat(run.getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
    assertThat(run.getFailure()).isEqualTo(Caller.failure("DECLINED"));

    var retry =
        RetryRunRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setRunId(id)
            .setRequestId("again")
            .build();
    var retried = caller.runs().retryRun(retry).getRun();
    assertThat(retried.getStatus()).isEqualTo(RunStatus.RUN_STATUS_RUNNING);
    assertThat(caller.runs().retryRun(retry).getRun().getVersion()).isEqualTo(retried.getVersion());
    var fourth = caller.poll("worker");
    assertThat(fourth.getStep().getAttempt()).isEqualTo(4);
    assertThat(fourth.getStep().getId()).isEqualTo(stepId);
    assertThat(caller.complete(fourth.getClaim(), "1").hasCompleted()).isTrue();
    assertThat(caller.get(id).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  @DisplayName("a FINAL failure is not tried again [R11]")
  void finalFailure() {
    caller.define("order", RunCaller.task("charge"));
    var id = caller.started("order");
    var task = caller.poll("worker");
    var request = caller.failure(task.getClaim(), FailureKind.FAILURE_KIND_FINAL).build();
    assertThat(caller.worker().failTask(request).getFailed().getRunStatus())
        .isEqualTo(RunStatus.RUN_STATUS_FAILED);
    assertThat(caller.worker().failTask(request).getFailed().getAlready()).isTrue();
    assertThat(caller.get(id).getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
  }

  @Test
  @DisplayName("a completed step is not dispatched again, its repeated completion is fine [R9]")
  void completedOnce() {
    caller.define("order", RunCaller.task("a"), RunCaller.task("b"));
    caller.started("order");
    var a = caller.poll("worker");
    assertThat(caller.complete(a.getClaim(), "1").getCompleted().getAlready()).isFalse();
    var b = caller.poll("worker");
    assertThat(b.getStep().getName()).isEqualTo("b");
    assertThat(b.getStep().getAttempt()).isOne();
    assertThat(caller.complete(a.getClaim(), "1").getCompleted().getAlready()).isTrue();
    assertThat(caller.complete(b.getClaim(), "1").hasCompleted()).isTrue();
    assertThat(caller.complete(a.getClaim(), "1").getCompleted().getAlready()).isTrue();
    assertThat(caller.poll(caller.polling("worker").setWait(Caller.millis(0)))).isEmpty();
  }

  @Test
  @DisplayName("a timer and a signal are waited for without a worker [R10]")
  void waits() {
    caller.define(
        "order", RunCaller.timer("pause", Caller.millis(200)), RunCaller.signal("ok", "go"));
    var id = caller.started("order");
    assertThat(caller.get(id).getStatus()).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    Condition.await("the timer", () -> caller.get(id).getCurrentStep().equals("ok"));

    assertThat(caller.signal(id, "other", "stop").getDisposition())
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_BUFFERED);
    assertThat(caller.signal(id, "one", "go").getDisposition())
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DELIVERED);
    assertThat(caller.signal(id, "one", "go").getDisposition())
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DUPLICATE);

    var run = caller.awaitEnd(id);
    assertThat(run.getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(run.getOutput()).isEqualTo(Caller.json("\"one\""));
    assertThat(Refusal.of(() -> caller.signal(id, "two", "go")).reason())
        .isEqualTo(ErrorReason.ERROR_REASON_RUN_ENDED);
  }

  @Test
  @DisplayName(
      "an old expected_version changes nothing; a cancelled run stays cancelled [R5, " + "R7]")
  void versions() {
    caller.define("order", RunCaller.task("charge"));
    var id = caller.started("order");
    var task = caller.poll("worker");
    var before = caller.get(id);
    var cancel = CancelRunRequest.newBuilder().setWorkspace(caller.workspace()).setRunId(id);

    var refusal =
        Refusal.of(() -> caller.runs().cancelRun(cancel.clone().setExpectedVersion(1).build()));
    assertThat(refusal.code()).isEqualTo(Code.ABORTED);
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_CONCURRENCY_ERROR);
    assertThat(caller.get(id)).isEqualTo(before);

    var cancelled = caller.runs().cancelRun(cancel.setExpectedVersion(2).build()).getRun();
    assertThat(cancelled.getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    assertThat(caller.runs().cancelRun(cancel.build()).getRun()).isEqualTo(cancelled);
    assertThat(caller.complete(task.getClaim(), "1").getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_RUN_CANCELLED);
    assertThat(caller.get(id)).isEqualTo(cancelled);
  }
}
