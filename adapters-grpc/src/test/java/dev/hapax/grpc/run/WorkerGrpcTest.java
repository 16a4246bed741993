package dev.hapax.grpc.run;

import static dev.hapax.grpc.run.Service.completion;
import static dev.hapax.grpc.run.Service.json;
import static dev.hapax.grpc.run.Service.polling;
import static dev.hapax.grpc.run.Service.refusal;
import static dev.hapax.grpc.run.Service.start;
import static dev.hapax.grpc.run.Service.task;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.Empty;
import com.google.protobuf.util.Durations;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.Failure;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.PartFailure;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Signal;
import dev.hapax.v1.SignalFilter;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.Task;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.Status.Code;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkerGrpcTest {
  private static final Duration LONG = Duration.newBuilder().setSeconds(30).build();
  private static final Failure FAILURE = Failure.newBuilder().setCode("DECLINED").build();
  private final Service service = new Service();

  @BeforeEach
  void define() {
    service.define("order", task("a"), task("b"));
  }

  @AfterEach
  void close() {
    service.close();
  }

  private FailTaskRequest.Builder failing(Claim claim) {
    return FailTaskRequest.newBuilder().setClaim(claim).setFailure(FAILURE);
  }

  private static final SignalFilter ANY =
      SignalFilter.newBuilder().setAny(Empty.getDefaultInstance()).build();

  @Test
  @DisplayName("given a suspension, then it has its signal filter, and a token is no fingerprint")
  void suspension() {
    service.started();
    var claim = service.poll().getClaim();
    var suspend = SuspendTaskRequest.newBuilder().setClaim(claim);
    assertInvalid("time", suspend);
    assertInvalid("signal_filter", suspend.setSignalFilter(SignalFilter.getDefaultInstance()));
    assertInvalid("signal_filter.any", suspend.setSignalFilter(ANY.toBuilder().setType("go")));
    assertInvalid(
        "signal_filter.hook",
        suspend.setSignalFilter(
            SignalFilter.newBuilder().setHook("0123456789abcdef").setHookName("payment")));
    var token = suspend.setSignalFilter(SignalFilter.newBuilder().setHook("order/4711"));
    assertInvalid("signal_filter.hook", token);
    assertThat(refusal(() -> service.worker().suspendTask(token.build())).message())
        .as("it may be the token itself")
        .doesNotContain("4711");
    var any = service.worker().suspendTask(suspend.setSignalFilter(ANY).build());
    assertThat(any.hasSuspended()).isTrue();
  }

  private void assertInvalid(String field, SuspendTaskRequest.Builder suspend) {
    var refused = refusal(() -> service.worker().suspendTask(suspend.build()));
    assertThat(refused.reason()).isEqualTo("INVALID_FIELD");
    assertThat(refused.message()).startsWith(field + " ");
  }

  @Test
  @DisplayName("given a polled task, then it has all that its worker needs")
  void brings() {
    var id = service.runs().startRun(start().setInput(json("[1]")).build()).getRun().getId();
    var signal = NewSignal.newBuilder().setSignalId("s").setType("t").setPayload(json("2"));
    var _ =
        service
            .runs()
            .signalRun(SignalRunRequest.newBuilder().setRunId(id).setSignal(signal).build());

    var task = service.poll();

    assertThat(task.getInput()).isEqualTo(json("[1]"));
    assertThat(task.getState()).isEqualTo(json("{}"));
    assertThat(task.getRun().hasInput()).isFalse();
    assertThat(task.getRun().hasState()).isFalse();
    assertThat(task.getStep().getId()).startsWith("step_");
    assertThat(task.getStep().getAttempt()).isOne();
    assertThat(task.getLeaseRemaining().getSeconds()).isEqualTo(30);
    assertThat(task.getSignalsList())
        .extracting(s -> s.toBuilder().clearReceivedAt().build())
        .containsExactly(
            Signal.newBuilder().setSignalId("s").setType("t").setPayload(json("2")).build());
    assertThat(task.getMoreSignals()).isFalse();
  }

  @ParameterizedTest
  @DisplayName("given many large signals, then the task has the one that woke it")
  @CsvSource({"150, 10", "5, 250000"})
  void wakingSignal(int before, int bytes) {
    var id = service.started().getId();
    var large = json('"' + "x".repeat(bytes) + '"');
    for (var i = 0; i < before; i++) {
      signal(id, NewSignal.newBuilder().setSignalId("s" + i).setType("other").setPayload(large));
    }
    var suspend =
        SuspendTaskRequest.newBuilder()
            .setClaim(service.poll().getClaim())
            .setSignalFilter(SignalFilter.newBuilder().setType("go"))
            .build();
    var _ = service.worker().suspendTask(suspend);
    signal(id, NewSignal.newBuilder().setSignalId("waking").setType("go").setPayload(large));

    var task = service.poll();

    assertThat(task.getSignalsList()).extracting(Signal::getSignalId).startsWith("s0");
    assertThat(task.getSignalsList().getLast().getSignalId()).isEqualTo("waking");
    assertThat(task.getMoreSignals()).isTrue();
    assertThat(task.getSerializedSize()).isLessThan(2 << 20);
  }

  private void signal(String runId, NewSignal.Builder signal) {
    var request = SignalRunRequest.newBuilder().setRunId(runId).setSignal(signal).build();
    assertThat(service.runs().signalRun(request).getRunId()).isEqualTo(runId);
  }

  @Test
  @DisplayName("given a second attempt, then the task has the failure of the first")
  void failureBefore() {
    service.started();
    var first = service.poll();
    var failed = service.worker().failTask(failing(first.getClaim()).build()).getFailed();
    assertThat(failed.hasRetryAt()).isTrue();
    service.timer.advance(java.time.Duration.ofSeconds(2));
    var second = service.poll();
    assertThat(second.getStep().getAttempt()).isEqualTo(2);
    assertThat(second.getStep().getId()).isEqualTo(first.getStep().getId());
    assertThat(second.getStep().getFailure()).isEqualTo(FAILURE);
    assertThat(
            service.worker().failTask(failing(first.getClaim()).build()).getFailed().getAlready())
        .isTrue();
  }

  @Test
  @DisplayName("given a completion with want_next, then it has the next task, and so has a repeat")
  void next() {
    var id = service.started().getId();
    var request = completion(service.poll().getClaim()).setWantNext(true).build();
    var next = service.worker().completeTask(request).getCompleted().getNext();
    assertThat(next.getStep().getName()).isEqualTo("b");
    var again = service.worker().completeTask(request).getCompleted();
    assertThat(again.getAlready()).isTrue();
    assertThat(again.getNext().getClaim()).isEqualTo(next.getClaim());
    var last = service.worker().completeTask(completion(next.getClaim()).setWantNext(true).build());
    assertThat(last.getCompleted().hasNext()).isFalse();
    assertThat(service.get(id).getVersion()).isEqualTo(6);
  }

  private static ClaimLost unknown(String workspace) {
    return ClaimLost.newBuilder()
        .setReason(ClaimLostReason.CLAIM_LOST_REASON_UNKNOWN_CLAIM)
        .setWorkspace(workspace)
        .build();
  }

  @Test
  @DisplayName("given an unknown claim, then every rpc answers that it is lost")
  void foreign() {
    var nothing = Claim.newBuilder().setId("task_x").setFence(1).build();
    var lost = unknown("default");
    var worker = service.worker();
    assertThat(worker.completeTask(completion(nothing).build()).getClaimLost()).isEqualTo(lost);
    assertThat(worker.completeTask(completion(nothing).build()).hasClaimLost()).isTrue();
    assertThat(worker.failTask(failing(nothing).build()).hasClaimLost()).isTrue();
    var suspend = SuspendTaskRequest.newBuilder().setClaim(nothing).setSignalFilter(ANY).build();
    assertThat(worker.suspendTask(suspend).hasClaimLost()).isTrue();
    var record = RecordStepRequest.newBuilder().setClaim(nothing).setName("n").build();
    assertThat(worker.recordStep(record).hasClaimLost()).isTrue();

    service.started();
    var held = service.poll().getClaim();
    var elsewhere = completion(held).setWorkspace("elsewhere").build();
    assertThat(worker.completeTask(elsewhere).getClaimLost()).isEqualTo(unknown("elsewhere"));
    var beat =
        worker.heartbeatTasks(
            HeartbeatTasksRequest.newBuilder().addClaims(nothing).addClaims(held).build());
    assertThat(beat.getResults(0).getClaimLost()).isEqualTo(lost);
    // unset is what the definition says
    assertThat(beat.getResults(1).getRenewed().getLeaseRemaining()).isEqualTo(LONG);
    assertThat(
            refusal(() -> worker.completeTask(completion(Claim.getDefaultInstance()).build()))
                .fields())
        .containsExactly("claim.id");
  }

  @Test
  @DisplayName("given a poll that is cancelled while it waits, then no task is granted")
  void gone() {
    var stub = WorkerServiceGrpc.newFutureStub(service.channel);
    var waiting = stub.pollTasks(polling().setWait(LONG).setAttemptId("poll").build());
    assertThat(service.places.size()).isEqualTo(1);
    waiting.cancel(true);
    assertThat(service.places.size()).isZero();
    var run = service.started();
    assertThat(service.get(run.getId()).getVersion()).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "given a repeated poll, then it gets the same tasks; in another workspace it is another one")
  void again() throws Exception {
    var request = polling().setWait(LONG).setAttemptId("poll").build();
    var waiting = WorkerServiceGrpc.newFutureStub(service.channel).pollTasks(request);
    service.started();
    var first = waiting.get(10, TimeUnit.SECONDS).getTasks(0);
    assertThat(service.worker().pollTasks(request).getTasks(0).getClaim())
        .isEqualTo(first.getClaim());
    var elsewhere = request.toBuilder().setWorkspace("elsewhere").setWait(Durations.ZERO).build();
    assertThat(service.worker().pollTasks(elsewhere).getTasksCount()).isZero();
  }

  @Test
  @DisplayName("given no wait, then a poll is a long poll; given a wait of zero, then it is not")
  void longPoll() throws Exception {
    var waiting =
        WorkerServiceGrpc.newFutureStub(service.channel).pollTasks(polling().clearWait().build());
    assertThat(service.places.size()).isEqualTo(1);
    assertThat(service.worker().pollTasks(polling().build()).getTasksCount()).isZero();
    var _ = service.started();
    assertThat(waiting.get(10, TimeUnit.SECONDS).getTasksCount()).isEqualTo(1);
  }

  @Test
  @DisplayName("given a waiting poll, when it is repeated without a wait, then both end")
  void lastLook() throws Exception {
    var request = polling().setWait(LONG).setAttemptId("poll").build();
    var waiting = WorkerServiceGrpc.newFutureStub(service.channel).pollTasks(request);
    assertThat(waiting.isDone()).isFalse();

    var last = service.worker().pollTasks(request.toBuilder().setWait(Durations.ZERO).build());

    assertThat(last.getTasksCount()).isZero();
    assertThat(waiting.get(10, TimeUnit.SECONDS).getTasksCount()).isZero();
    assertThat(service.places.size()).isZero();
    service.started();
    assertThat(service.poll().getStep().getAttempt()).isOne();
  }

  @Test
  @DisplayName(
      "given large tasks, then a response ends at 2 MiB and the other tasks are released at once")
  void cut() {
    var large = json("\"" + "x".repeat(250_000) + "\"");
    for (var i = 0; i < 10; i++) {
      var _ = service.runs().startRun(start().setInput(large).build());
    }
    var all = polling().setMaxTasks(10).build();
    var first = service.worker().pollTasks(all).getTasksList();
    var rest = service.worker().pollTasks(all).getTasksList();
    assertThat(first).hasSize(8);
    assertThat(rest).hasSize(2);
    assertThat(rest).extracting(task -> task.getStep().getAttempt()).containsOnly(1);
    assertThat(first)
        .extracting(Task::getClaim)
        .doesNotContainAnyElementsOf(rest.stream().map(Task::getClaim).toList());
  }

  @Test
  @DisplayName(
      "given a state patch that is too large, then it is rejected and the step is still held")
  void stateTooLarge() {
    service.started();
    var claim = service.poll().getClaim();
    var half = "\"" + "x".repeat(140_000) + "\"";
    var first = completion(claim).setWantNext(true).setStatePatch(json("{\"a\":" + half + "}"));
    var next = service.worker().completeTask(first.build()).getCompleted().getNext().getClaim();
    var second = completion(next).setStatePatch(json("{\"b\":" + half + "}"));
    var refused = refusal(() -> service.worker().completeTask(second.build()));
    assertThat(refused.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refused.reason()).isEqualTo("STATE_TOO_LARGE");
    assertThat(refused.fields()).containsExactly("state_patch");
    second.setStatePatch(json("{\"a\":null}"));
    assertThat(service.worker().completeTask(second.build()).getCompleted().getRunStatus())
        .isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  @DisplayName("given a recorded step, when the body is executed again, then its output is there")
  void records() {
    service.started();
    var task = service.poll();
    var ask = RecordStepRequest.newBuilder().setClaim(task.getClaim()).setName("charge");
    assertThat(service.worker().recordStep(ask.build()).getNotRecorded().getStepId())
        .isEqualTo(task.getStep().getId() + "/charge");
    var record = ask.clone().setOutput(json("1")).build();
    assertThat(service.worker().recordStep(record).getRecorded().getAlready()).isFalse();
    assertThat(service.worker().recordStep(ask.build()).getRecorded().getOutput())
        .isEqualTo(json("1"));
    var suspend =
        SuspendTaskRequest.newBuilder()
            .setClaim(task.getClaim())
            .setDuration(Duration.newBuilder().setSeconds(5))
            .build();
    assertThat(service.worker().suspendTask(suspend).getSuspended().getAlready()).isFalse();
    assertThat(service.worker().suspendTask(suspend).getSuspended().getAlready()).isTrue();
  }

  @Test
  @DisplayName("given a worker's request with invalid fields, then the error names them")
  void refused() {
    var worker = service.worker();
    service.started();
    var claim = service.poll().getClaim();
    assertThat(
            refusal(() -> worker.pollTasks(PollTasksRequest.newBuilder().setWorkerId("w").build()))
                .fields())
        .containsExactly("queues");
    assertThat(refusal(() -> worker.pollTasks(polling().addQueues("").build())).fields())
        .containsExactly("queues[1]");
    assertThat(refusal(() -> worker.pollTasks(polling().setMaxTasks(501).build())).fields())
        .containsExactly("max_tasks");
    assertThat(refusal(() -> worker.pollTasks(polling().clearWorkerId().build())).fields())
        .containsExactly("worker_id");
    assertThat(
            refusal(() -> worker.completeTask(completion(claim).setStatePatch(json("1")).build()))
                .fields())
        .containsExactly("state_patch.json");
    assertThat(
            refusal(() -> worker.completeTask(completion(claim).addConsumedSignalIds("s").build()))
                .fields())
        .containsExactly("consumed_signal_ids");
    assertThat(refusal(() -> worker.failTask(failing(claim).clearFailure().build())).fields())
        .containsExactly("failure");
    assertThat(
            refusal(
                    () ->
                        worker.failTask(
                            failing(claim)
                                .addParts(
                                    PartRecord.newBuilder()
                                        .setName("pay")
                                        .setFailure(
                                            PartFailure.newBuilder()
                                                .setFailure(failing(claim).getFailure())
                                                .setKind(FailureKind.FAILURE_KIND_UNKNOWN_EFFECT)))
                                .build()))
                .fields())
        .containsExactly("parts[0].failure.kind");
    assertThat(
            refusal(
                    () ->
                        worker.suspendTask(SuspendTaskRequest.newBuilder().setClaim(claim).build()))
                .fields())
        .containsExactly("time");
    assertThat(
            refusal(() -> worker.heartbeatTasks(HeartbeatTasksRequest.getDefaultInstance()))
                .fields())
        .containsExactly("claims");
    assertThat(worker.completeTask(completion(claim).build()).hasCompleted()).isTrue();
  }
}
