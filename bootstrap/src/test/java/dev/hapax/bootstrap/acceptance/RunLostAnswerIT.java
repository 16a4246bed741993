package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Signal;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.SignalFilter;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.StartRunsRequest;
import dev.hapax.v1.Step;
import dev.hapax.v1.SuspendTaskRequest;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("secured")
class RunLostAnswerIT {
  private final Deployment deployment = Deployment.shared();
  private final CuttingProxy proxy = new CuttingProxy(deployment.target());
  private final RunCaller caller = RunCaller.to(deployment.target());
  private final RunCaller unlucky = caller.via(proxy.target());

  @BeforeEach
  void define() {
    caller.define("order", RunCaller.task("a"), RunCaller.task("b"));
  }

  @AfterEach
  void close() {
    unlucky.close();
    caller.close();
    proxy.close();
  }

  private <R> R sendAgain(Function<RunCaller, R> call) {
    return proxy.sendAgain(() -> call.apply(unlucky));
  }

  private List<RunEventType> history(String runId) {
    return caller.events(runId).stream().map(RunEvent::getType).toList();
  }

  @Test
  @DisplayName("given a repeated RegisterDefinition, then it succeeds [X1]")
  void register() {
    var request =
        RegisterDefinitionRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setName("another")
            .setVersion("1")
            .addSteps(RunCaller.task("a"))
            .build();
    var answer =
        sendAgain(
            c ->
                DefinitionServiceGrpc.newBlockingStub(c.caller().channel())
                    .registerDefinition(request));
    assertThat(answer.getAlready()).isTrue();
    assertThat(caller.started("another")).startsWith("run_");
  }

  @Test
  @DisplayName("StartRun sent again gets the run that was started [X1]")
  void start() {
    var request = caller.start("order").setIdempotencyKey("key");
    var run = sendAgain(c -> c.send(request)).getRun();

    assertThat(run).isEqualTo(caller.get(run.getId()));
    assertThat(caller.list()).extracting(Run::getId).containsExactly(run.getId());
    assertThat(history(run.getId())).containsExactly(RunEventType.RUN_EVENT_TYPE_CREATED);
  }

  @Test
  @DisplayName("StartRuns sent again gets the runs that were started [X1]")
  void startMany() {
    var request =
        StartRunsRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .addRequests(caller.start("order").setIdempotencyKey("one"))
            .addRequests(caller.start("order").setIdempotencyKey("two"))
            .build();
    var results = sendAgain(c -> c.runs().startRuns(request)).getResultsList();

    assertThat(results).noneMatch(result -> result.getResponse().getCreated());
    assertThat(caller.list())
        .extracting(Run::getId)
        .containsExactlyInAnyOrderElementsOf(
            results.stream().map(result -> result.getResponse().getRun().getId()).toList());
  }

  @Test
  @DisplayName("SignalRun sent again is one signal [X1]")
  void signal() {
    var id = caller.started("order");
    var request =
        SignalRunRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setRunId(id)
            .setSignal(NewSignal.newBuilder().setSignalId("signal").setPayload(Caller.json("1")))
            .build();
    var answer = sendAgain(c -> c.runs().signalRun(request));
    assertThat(answer.getDisposition()).isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DUPLICATE);
    assertThat(answer.getRunId()).isEqualTo(id);

    assertThat(caller.poll("worker").getSignalsList())
        .extracting(Signal::getSignalId)
        .containsExactly("signal");
  }

  @Test
  @DisplayName("CancelRun sent again is one cancel, whatever version it expects [X1]")
  void cancel() {
    var id = caller.started("order");
    var request =
        CancelRunRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setRunId(id)
            .setExpectedVersion(1)
            .build();
    var run = sendAgain(c -> c.runs().cancelRun(request)).getRun();
    assertThat(run.getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    assertThat(run.getVersion()).isEqualTo(2);
    assertThat(caller.get(id)).isEqualTo(run);
  }

  @Test
  @DisplayName("PauseRun and ResumeRun sent again are one pause and one resume [X1]")
  void pause() {
    var id = caller.started("order");
    var claim = caller.poll("worker").getClaim();
    var pause =
        PauseRunRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setRunId(id)
            .setExpectedVersion(2)
            .build();
    var paused = sendAgain(c -> c.runs().pauseRun(pause)).getRun();
    assertThat(paused.getStatus()).isEqualTo(RunStatus.RUN_STATUS_PAUSED);
    assertThat(paused.getVersion()).isEqualTo(3);

    var resume =
        ResumeRunRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setRunId(id)
            .setExpectedVersion(3)
            .build();
    var resumed = sendAgain(c -> c.runs().resumeRun(resume)).getRun();
    assertThat(resumed.getStatus()).isEqualTo(RunStatus.RUN_STATUS_RUNNING);
    assertThat(resumed.getVersion()).isEqualTo(4);
    assertThat(caller.complete(claim, "1").hasCompleted()).isTrue();
  }

  @Test
  @DisplayName("RetryRun sent again is one retry [X1]")
  void retry() {
    var id = caller.started("order");
    var failure =
        caller.failure(caller.poll("worker").getClaim(), FailureKind.FAILURE_KIND_FINAL).build();
    assertThat(caller.worker().failTask(failure).hasFailed()).isTrue();
    var request =
        RetryRunRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setRunId(id)
            .setRequestId("request")
            .build();
    var run = sendAgain(c -> c.runs().retryRun(request)).getRun();

    assertThat(run).isEqualTo(caller.get(id));
    assertThat(history(id)).containsOnlyOnce(RunEventType.RUN_EVENT_TYPE_RETRIED);
    // also when the step it retried has been started, and failed again
    var again =
        caller.failure(caller.poll("worker").getClaim(), FailureKind.FAILURE_KIND_FINAL).build();
    assertThat(caller.worker().failTask(again).hasFailed()).isTrue();
    assertThat(caller.runs().retryRun(request).getRun().getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_FAILED);
  }

  @Test
  @DisplayName(
      "given a lost answer of PollTasks, when it is repeated, then only that worker "
          + "holds the task [X1]")
  void poll() {
    var id = caller.started("order");
    var request = caller.polling("worker").build();
    var tasks = sendAgain(c -> c.worker().pollTasks(request)).getTasksList();

    assertThat(tasks).hasSize(1);
    assertThat(tasks.getFirst().getStep().getAttempt()).isOne();
    assertThat(caller.poll(caller.polling("other").setWait(Caller.millis(0)))).isEmpty();
    var claim = tasks.getFirst().getClaim();
    assertThat(caller.complete(claim, "1").getCompleted().getAlready()).isFalse();
    assertThat(history(id)).doesNotContain(RunEventType.RUN_EVENT_TYPE_LEASE_LOST);
  }

  @Test
  @DisplayName(
      "given a repeated CompleteTask, then it succeeds and the first output is kept " + "[X1]")
  void complete() {
    var id = caller.started("order");
    var request =
        caller
            .completion(caller.poll("worker").getClaim())
            .setOutput(Caller.json("1"))
            .setStatePatch(Caller.json("{\"n\":1}"))
            .build();
    assertThat(sendAgain(c -> c.worker().completeTask(request)).getCompleted().getAlready())
        .isTrue();

    assertThat(history(id)).containsOnlyOnce(RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED);
    assertThat(caller.steps(id).getFirst().getOutput()).isEqualTo(Caller.json("1"));
    assertThat(caller.get(id).getVersion()).isEqualTo(3);
  }

  @Test
  @DisplayName("CompleteTask with want_next sent again holds the next task [X1]")
  void next() {
    var id = caller.started("order");
    var request = caller.completion(caller.poll("worker").getClaim()).setWantNext(true).build();
    var completed = sendAgain(c -> c.worker().completeTask(request)).getCompleted();

    assertThat(completed.getAlready()).isTrue();
    var next = completed.hasNext() ? completed.getNext() : caller.poll("worker");
    assertThat(next.getStep().getName()).isEqualTo("b");
    assertThat(next.getStep().getAttempt()).isOne();
    assertThat(caller.poll(caller.polling("other").setWait(Caller.millis(0)))).isEmpty();
    assertThat(caller.complete(next.getClaim(), "1").hasCompleted()).isTrue();
    assertThat(history(id)).doesNotContain(RunEventType.RUN_EVENT_TYPE_LEASE_LOST);
  }

  @ParameterizedTest(name = "FailTask {0} sent again is one failure [X1]")
  @EnumSource(names = {"FAILURE_KIND_RETRYABLE", "FAILURE_KIND_FINAL"})
  void fail(FailureKind kind) {
    var id = caller.started("order");
    var request = caller.failure(caller.poll("worker").getClaim(), kind).build();
    assertThat(sendAgain(c -> c.worker().failTask(request)).getFailed().getAlready()).isTrue();

    if (kind == FailureKind.FAILURE_KIND_FINAL) {
      assertThat(caller.get(id).getVersion()).isEqualTo(4);
      assertThat(caller.get(id).getFailure()).isEqualTo(Caller.failure("DECLINED"));
    } else {
      assertThat(caller.poll("worker").getStep().getAttempt()).isEqualTo(2);
      assertThat(history(id)).containsOnlyOnce(RunEventType.RUN_EVENT_TYPE_RETRY_SCHEDULED);
    }
  }

  @Test
  @DisplayName("SuspendTask sent again is one suspension, also after it has ended [X1]")
  void suspend() {
    var id = caller.started("order");
    var request =
        SuspendTaskRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setClaim(caller.poll("worker").getClaim())
            .setSignalFilter(SignalFilter.newBuilder().setType("go"))
            .build();
    assertThat(sendAgain(c -> c.worker().suspendTask(request)).getSuspended().getAlready())
        .isTrue();

    assertThat(caller.signal(id, "signal", "go").getDisposition())
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DELIVERED);
    var task = caller.poll("worker");
    assertThat(task.getStep().getAttempt()).isOne();
    assertThat(caller.worker().suspendTask(request).getSuspended().getAlready()).isTrue();
    assertThat(history(id)).containsOnlyOnce(RunEventType.RUN_EVENT_TYPE_STEP_SUSPENDED);
    assertThat(caller.complete(task.getClaim(), "1").hasCompleted()).isTrue();
  }

  @Test
  @DisplayName("ReleaseTask sent again is one release, also when the step is held again [X1]")
  void release() {
    var id = caller.started("order");
    var request =
        ReleaseTaskRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setClaim(caller.poll("worker").getClaim())
            .setDelay(Caller.seconds(0))
            .build();
    assertThat(sendAgain(c -> c.worker().releaseTask(request)).getReleased().getAlready()).isTrue();

    var task = caller.poll("worker");
    assertThat(task.getStep().getAttempt()).isOne();
    assertThat(caller.worker().releaseTask(request).getReleased().getAlready()).isTrue();
    assertThat(history(id)).containsOnlyOnce(RunEventType.RUN_EVENT_TYPE_LEASE_GIVEN_BACK);
    assertThat(caller.complete(task.getClaim(), "1").hasCompleted()).isTrue();
    assertThat(caller.worker().releaseTask(request).getReleased().getAlready()).isTrue();
  }

  @Test
  @DisplayName("HeartbeatTasks sent again keeps the leases [X1]")
  void heartbeat() {
    var id = caller.started("order");
    Claim claim = caller.poll("worker").getClaim();
    var request =
        HeartbeatTasksRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .addClaims(claim)
            .setLease(Caller.seconds(3_600))
            .build();
    var result = sendAgain(c -> c.worker().heartbeatTasks(request)).getResults(0);
    assertThat(result.getRenewed().getLeaseRemaining()).isEqualTo(Caller.seconds(3_600));
    assertThat(caller.get(id).getVersion()).isEqualTo(2);
  }

  @Test
  @DisplayName("RecordStep sent again is one record, with the first output [X1]")
  void record() {
    var id = caller.started("order");
    var request =
        RecordStepRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setClaim(caller.poll("worker").getClaim())
            .setName("charge")
            .setOutput(Caller.json("1"))
            .build();
    var recorded = sendAgain(c -> c.worker().recordStep(request)).getRecorded();

    assertThat(recorded.getAlready()).isTrue();
    assertThat(recorded.getOutput()).isEqualTo(Caller.json("1"));
    assertThat(history(id)).containsOnlyOnce(RunEventType.RUN_EVENT_TYPE_STEP_RECORDED);
    assertThat(caller.steps(id)).extracting(Step::getName).contains("charge");
  }
}
