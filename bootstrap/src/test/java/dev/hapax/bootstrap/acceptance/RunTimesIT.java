package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HeartbeatTasksResponse;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.StepStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The times of attempts, starts and runs, and the details of heartbeats. */
@Tag("long")
class RunTimesIT {
  private static final Duration SECOND = Caller.seconds(1);
  private static final int RACES = 40;

  private final Deployment deployment = Deployment.shared();
  private final RunCaller caller = RunCaller.to(deployment.target());

  @AfterEach
  void close() {
    caller.close();
  }

  private static StepDefinition within(Duration timeout) {
    return StepDefinition.newBuilder()
        .setName("import")
        .setTask(RunCaller.work(Caller.seconds(60)).setAttemptTimeout(timeout))
        .build();
  }

  private static HeartbeatTasksResponse.Result renewed(
      RunCaller by, Claim claim, Payload... details) {
    return by.worker()
        .heartbeatTasks(
            HeartbeatTasksRequest.newBuilder()
                .setWorkspace(by.workspace())
                .addClaims(claim)
                .addAllDetails(List.of(details))
                .build())
        .getResults(0);
  }

  private RunEvent event(String id, RunEventType type) {
    return caller.events(id).stream()
        .filter(event -> event.getType() == type)
        .findFirst()
        .orElseThrow();
  }

  private static Timestamp after(Timestamp time, Duration length) {
    return Timestamps.add(time, length);
  }

  @Test
  @DisplayName("given a worker that heartbeats for ever, then its attempt is cut [R15, turns-T1]")
  void cut() {
    caller.define("import", within(Caller.seconds(2)));
    var id = caller.started("import");
    var task = caller.poll("worker");
    assertThat(task.getAttemptRemaining().getSeconds()).isBetween(1L, 22L);
    assertThat(task.getLeaseRemaining()).isEqualTo(task.getAttemptRemaining());
    assertThat(caller.explain(id).getSentences(0)).contains(", and its attempt at ");
    Condition.await(
        "cut",
        () -> {
          var result = renewed(caller, task.getClaim());
          assertThat(!result.hasRenewed() || result.getRenewed().hasAttemptRemaining()).isTrue();
          return result.hasClaimLost();
        });

    var next = caller.poll("worker");
    assertThat(next.getStep().getAttempt()).isEqualTo(2);
    assertThat(next.getStep().getFailure().getCode()).isEqualTo("ATTEMPT_TIMEOUT");
    assertThat(caller.complete(task.getClaim(), "1").getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    var lost = event(id, RunEventType.RUN_EVENT_TYPE_LEASE_LOST);
    assertThat(lost.getLeaseLost().getFailure().getCode()).isEqualTo("ATTEMPT_TIMEOUT");
    var started = event(id, RunEventType.RUN_EVENT_TYPE_STEP_STARTED).getAt();
    assertThat(Timestamps.compare(lost.getAt(), after(started, Caller.seconds(2))))
        .as("not before its time")
        .isNotNegative();
    assertThat(caller.complete(next.getClaim(), "2").hasCompleted()).isTrue();
  }

  @Test
  @DisplayName("given a silent worker, then the next attempt gets its details [R18, turns-T2]")
  void details() {
    caller.define("import", RunCaller.shortTask("import"), RunCaller.task("more"));
    var first = caller.started("import");
    var task = caller.poll("worker");
    assertThat(task.hasLastDetails()).isFalse();
    renewed(caller, task.getClaim(), Caller.json("{\"row\": 40}"));
    renewed(caller, task.getClaim(), Caller.binary(new byte[] {41}));
    assertThat(renewed(caller, task.getClaim(), Payload.getDefaultInstance()).hasRenewed())
        .isTrue();

    var next = caller.poll("other");
    assertThat(next.getStep().getAttempt()).isEqualTo(2);
    assertThat(next.getLastDetails()).isEqualTo(Caller.binary(new byte[] {41}));
    var version = caller.get(first).getVersion();
    renewed(caller, next.getClaim(), Caller.json("42"));
    assertThat(caller.get(first).getVersion()).isEqualTo(version);
    assertThat(caller.complete(next.getClaim(), "1").hasCompleted()).isTrue();
    assertThat(caller.poll("other").hasLastDetails()).as("of another step").isFalse();
  }

  @Test
  @Tag("fault")
  @DisplayName(
      "given a killed server and worker, then another server hands the details over, and fails"
          + " what did not start [turns-T2, turns-T3]")
  void killed() throws Exception {
    try (var servers = Deployment.start();
        var one = RunCaller.to(servers.target());
        var other = one.via(servers.add().awaitReady())) {
      one.define("import", RunCaller.shortTask("import"));
      one.define("late", RunCaller.timer("sleep", Caller.seconds(3_600)));
      var late = one.send(one.start("late").setTimeout(SECOND)).getRun().getId();
      var _ = one.started("import");
      var task = one.poll("worker");
      assertThat(renewed(one, task.getClaim(), Caller.json("41")).hasRenewed()).isTrue();
      servers.server().kill9();

      var next = other.poll("worker");
      assertThat(next.getStep().getAttempt()).isEqualTo(2);
      assertThat(next.getLastDetails()).isEqualTo(Caller.json("41"));
      assertThat(other.awaitEnd(late).getFailure().getCode()).isEqualTo("RUN_TIMEOUT");
    }
  }

  @Test
  @DisplayName(
      "given no worker, then a run fails at its start timeout, others wait on [R17, turns-T3]")
  void notStarted() {
    caller.define("order", RunCaller.task("charge"));
    var created = caller.send(caller.start("order").setStartTimeout(SECOND)).getRun();
    var other = caller.started("order");
    assertThat(caller.explain(created.getId()).getSentencesList())
        .last()
        .asString()
        .contains("NOT_STARTED_IN_TIME");

    var failed = caller.awaitEnd(created.getId());
    assertThat(failed.getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
    assertThat(failed.getFailure().getCode()).isEqualTo("NOT_STARTED_IN_TIME");
    assertThat(failed.hasStartedAt()).isFalse();
    assertThat(Timestamps.compare(failed.getEndedAt(), after(created.getCreatedAt(), SECOND)))
        .isNotNegative();
    assertThat(caller.steps(created.getId()))
        .singleElement()
        .matches(step -> step.getStatus() == StepStatus.STEP_STATUS_FAILED);
    assertThat(event(created.getId(), RunEventType.RUN_EVENT_TYPE_CREATED).getCreated())
        .matches(event -> event.hasStartDeadline() && !event.hasDeadline());
    assertThat(caller.poll("worker").getRun().getId()).isEqualTo(other);

    var retried = retry(created.getId());
    assertThat(retried.getStatus()).isEqualTo(RunStatus.RUN_STATUS_PENDING);
    assertThat(caller.poll("worker").getRun().getId()).isEqualTo(created.getId());
  }

  private Run retry(String id) {
    var request =
        RetryRunRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setRunId(id)
            .setRequestId(UUID.randomUUID().toString());
    return caller.runs().retryRun(request.build()).getRun();
  }

  @Test
  @DisplayName(
      "given a lost worker after the start timeout, then the step is retried [R17, turns-T4]")
  void started() {
    caller.define("order", RunCaller.shortTask("charge"));
    var id = caller.send(caller.start("order").setStartTimeout(SECOND)).getRun().getId();
    assertThat(caller.poll("silent").getStep().getAttempt()).isEqualTo(1);

    // its lease ends after the start timeout
    var again = caller.poll("other");
    assertThat(again.getStep().getAttempt()).isEqualTo(2);
    assertThat(caller.complete(again.getClaim(), "1").hasCompleted()).isTrue();
    assertThat(caller.awaitEnd(id).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PENDING", "RUNNING", "WAITING", "PAUSED"})
  @DisplayName("given a deadline, then a run of any status fails at it [R16, turns-T5]")
  void deadline(String status) {
    var step = status.equals("WAITING") ? RunCaller.signal("wait", "go") : RunCaller.task("work");
    caller.define("order", step);
    var created = caller.send(caller.start("order").setTimeout(SECOND)).getRun();
    var id = created.getId();
    assertThat(created.getDeadline()).isEqualTo(after(created.getCreatedAt(), SECOND));
    var isHeld = status.equals("RUNNING") || status.equals("PAUSED");
    var claim = isHeld ? caller.poll("worker").getClaim() : Claim.getDefaultInstance();
    if (status.equals("PAUSED")) {
      var pause = PauseRunRequest.newBuilder().setWorkspace(caller.workspace()).setRunId(id);
      var _ = caller.runs().pauseRun(pause.build());
    }

    var failed = caller.awaitEnd(id);
    assertThat(failed.getFailure().getCode()).isEqualTo("RUN_TIMEOUT");
    assertThat(Timestamps.compare(failed.getEndedAt(), created.getDeadline())).isNotNegative();
    if (isHeld) {
      assertThat(caller.complete(claim, "1").getClaimLost().getReason())
          .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_ENDED);
    }
    var again = retry(id);
    assertThat(again.getStatus()).isNotEqualTo(RunStatus.RUN_STATUS_FAILED);
    assertThat(Timestamps.compare(again.getDeadline(), failed.getEndedAt())).isPositive();
    assertThat(caller.awaitEnd(id).getFailure().getCode()).isEqualTo("RUN_TIMEOUT");
  }

  @Test
  @DisplayName("a run without a timeout has that of its definition [R16, turns-T5]")
  void ofDefinition() {
    var request =
        RegisterDefinitionRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setName("order")
            .setVersion("1")
            .addSteps(RunCaller.signal("wait", "go"))
            .setTimeout(Caller.seconds(5));
    var definitions = DefinitionServiceGrpc.newBlockingStub(caller.caller().channel());
    assertThat(definitions.registerDefinition(request.build()).getAlready()).isFalse();
    assertThat(definitions.registerDefinition(request.build()).getAlready()).isTrue();
    var other = request.clone().setTimeout(Caller.seconds(6)).build();
    assertThat(Refusal.of(() -> definitions.registerDefinition(other)).message())
        .contains("timeout is 5s (this: 6s)");
    var read =
        definitions.getDefinition(
            GetDefinitionRequest.newBuilder()
                .setWorkspace(caller.workspace())
                .setName("order")
                .build());
    assertThat(read.getDefinition().getTimeout()).isEqualTo(Caller.seconds(5));
    var run = caller.send(caller.start("order")).getRun();
    assertThat(run.getDeadline()).isEqualTo(after(run.getCreatedAt(), Caller.seconds(5)));
    var own = caller.send(caller.start("order").setTimeout(Caller.seconds(60))).getRun();
    assertThat(own.getDeadline()).isEqualTo(after(own.getCreatedAt(), Caller.seconds(60)));
  }

  @Test
  @DisplayName(
      "given completions at the moment of a timeout, then one of them counts [R16, turns-T6]")
  void sameMoment() throws Exception {
    caller.define("import", within(SECOND));
    caller.define("order", RunCaller.task("charge"));
    var runs = new ArrayList<String>();
    var completed = new HashSet<String>();
    try (var threads = Executors.newScheduledThreadPool(8)) {
      var answers = new ArrayList<Future<Optional<String>>>();
      for (var i = 0; i < RACES; i++) {
        var start = i % 2 == 0 ? caller.start("order").setTimeout(SECOND) : caller.start("import");
        runs.add(caller.send(start).getRun().getId());
        // perhaps the second attempt of an earlier run
        var task = caller.poll("worker");
        Callable<Optional<String>> complete =
            () ->
                caller.complete(task.getClaim(), "1").hasCompleted()
                    ? Optional.of(task.getRun().getId())
                    : Optional.empty();
        var jitter = ThreadLocalRandom.current().nextInt(200);
        answers.add(threads.schedule(complete, 950 + jitter, TimeUnit.MILLISECONDS));
      }
      for (var answer : answers) {
        answer.get().ifPresent(run -> assertThat(completed.add(run)).as(run).isTrue());
      }
    }
    assertThat(completed).as("some are in time").isNotEmpty();
    runs.forEach(run -> assertOneEnd(run, completed.contains(run)));
  }

  private void assertOneEnd(String run, boolean isCompleted) {
    var completions =
        caller.events(run).stream()
            .filter(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED)
            .count();
    assertThat(completions).as(run).isEqualTo(isCompleted ? 1 : 0);
    var status = caller.get(run).getStatus();
    assertThat(status == RunStatus.RUN_STATUS_COMPLETED).isEqualTo(isCompleted);
    if (!isCompleted && caller.get(run).getDefinition().equals("order")) {
      assertThat(caller.awaitEnd(run).getFailure().getCode()).isEqualTo("RUN_TIMEOUT");
    }
  }

  @Test
  @DisplayName("wrong times and details are refused by their paths, and nothing is stored")
  void badInput() {
    caller.define("order", RunCaller.task("charge"));
    var id = caller.started("order");
    var claim = caller.poll("worker").getClaim();
    var before = stored();
    for (var wrong : List.of(Caller.millis(999), Caller.seconds(30 * 86_400 + 1))) {
      assertPath(() -> caller.define("wrong", within(wrong)), "steps[0].task.attempt_timeout");
    }
    for (var wrong : List.of(Caller.seconds(0), Caller.seconds(365 * 86_400 + 1))) {
      assertPath(() -> caller.send(caller.start("order").setTimeout(wrong)), "timeout");
      assertPath(() -> caller.send(caller.start("order").setStartTimeout(wrong)), "start_timeout");
    }
    var some = Caller.json("1");
    assertPath(() -> renewed(caller, claim, some, some), "details");
    var large = Caller.binary(new byte[4097]);
    assertPath(() -> renewed(caller, claim, large), "details[0]");
    assertPath(
        () -> renewed(caller, claim, Payload.newBuilder().setJson("{").build()), "details[0].json");
    assertThat(stored()).isEqualTo(before);
    assertThat(renewed(caller, claim, Caller.binary(new byte[4096])).hasRenewed()).isTrue();
    var tiny = Duration.newBuilder().setNanos(1).build();
    var run = caller.send(caller.start("order").setTimeout(tiny)).getRun().getId();
    assertThat(caller.awaitEnd(run).getFailure().getCode()).isEqualTo("RUN_TIMEOUT");
    assertThat(caller.get(id).getStatus()).isEqualTo(RunStatus.RUN_STATUS_RUNNING);
    assertThat(deployment.complaints()).isEmpty();
  }

  private String stored() {
    return deployment
        .database()
        .query(
            "SELECT count(*) || coalesce(max(details_json), '') FROM hapax.run WHERE workspace = '%s'"
                .formatted(caller.workspace()));
  }

  private static void assertPath(ThrowingCallable call, String path) {
    var refusal = Refusal.of(call);
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_INVALID_FIELD);
    assertThat(refusal.fields()).containsExactly(path);
  }
}
