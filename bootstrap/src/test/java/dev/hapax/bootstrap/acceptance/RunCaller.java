package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.ExplainRunRequest;
import dev.hapax.v1.ExplainRunResponse;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RetryPolicy;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.SignalRunResponse;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import dev.hapax.v1.Step;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.Task;
import dev.hapax.v1.TaskStep;
import dev.hapax.v1.TimerStep;
import dev.hapax.v1.WorkerServiceGrpc;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Starts and works runs as any language does: generated stubs, no retries of its own. */
record RunCaller(Caller caller) implements AutoCloseable {
  static final String QUEUE = "work";
  private static final int PATIENCE_SECONDS = 60;

  /** A client with a workspace of its own. */
  static RunCaller to(String target) {
    return new RunCaller(Caller.to(target));
  }

  /** Another connection of the same tenant. */
  RunCaller via(String target) {
    return new RunCaller(caller.via(target));
  }

  String workspace() {
    return caller.workspace();
  }

  RunServiceGrpc.RunServiceBlockingStub runs() {
    return RunServiceGrpc.newBlockingStub(caller.channel())
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  RunServiceGrpc.RunServiceFutureStub futures() {
    return RunServiceGrpc.newFutureStub(caller.channel())
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  WorkerServiceGrpc.WorkerServiceBlockingStub worker() {
    return WorkerServiceGrpc.newBlockingStub(caller.channel())
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  WorkerServiceGrpc.WorkerServiceFutureStub workers() {
    return WorkerServiceGrpc.newFutureStub(caller.channel())
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  static TaskStep.Builder work(Duration lease) {
    return TaskStep.newBuilder()
        .setQueue(QUEUE)
        .setLease(lease)
        .setRetry(
            RetryPolicy.newBuilder()
                .setMaxAttempts(3)
                .setInitial(Caller.millis(1))
                .setFactor(1)
                .setMax(Caller.millis(1)));
  }

  static StepDefinition task(String name) {
    return task(name, Caller.seconds(60));
  }

  static StepDefinition shortTask(String name) {
    return task(name, Caller.seconds(1));
  }

  static StepDefinition task(String name, Duration lease) {
    return StepDefinition.newBuilder().setName(name).setTask(work(lease)).build();
  }

  static StepDefinition timer(String name, Duration duration) {
    return StepDefinition.newBuilder()
        .setName(name)
        .setTimer(TimerStep.newBuilder().setDuration(duration))
        .build();
  }

  static StepDefinition signal(String name, String type) {
    return StepDefinition.newBuilder()
        .setName(name)
        .setSignal(SignalStep.newBuilder().setType(type))
        .build();
  }

  void define(String name, StepDefinition... steps) {
    var request =
        RegisterDefinitionRequest.newBuilder()
            .setWorkspace(workspace())
            .setName(name)
            .setVersion("1")
            .addAllSteps(List.of(steps))
            .build();
    var _ = DefinitionServiceGrpc.newBlockingStub(caller.channel()).registerDefinition(request);
  }

  StartRunRequest.Builder start(String definition) {
    return StartRunRequest.newBuilder().setWorkspace(workspace()).setDefinition(definition);
  }

  StartRunResponse send(StartRunRequest.Builder start) {
    return runs().startRun(start.build());
  }

  String started(String definition) {
    return send(start(definition)).getRun().getId();
  }

  Run get(String runId) {
    return runs()
        .getRun(GetRunRequest.newBuilder().setWorkspace(workspace()).setRunId(runId).build())
        .getRun();
  }

  /** The runs of this workspace, the newest 500 of them. */
  List<Run> list() {
    return runs()
        .listRuns(ListRunsRequest.newBuilder().setWorkspace(workspace()).setPageSize(500).build())
        .getRunsList();
  }

  AwaitRunRequest awaiting(String runId) {
    return AwaitRunRequest.newBuilder()
        .setWorkspace(workspace())
        .setRunId(runId)
        .setWait(Caller.seconds(30))
        .build();
  }

  /** Waits for a change of the run after this version. */
  AwaitRunRequest awaiting(String runId, long afterVersion) {
    return awaiting(runId).toBuilder().setAfterVersion(afterVersion).build();
  }

  ExplainRunResponse explain(String runId) {
    return runs()
        .explainRun(
            ExplainRunRequest.newBuilder().setWorkspace(workspace()).setRunId(runId).build());
  }

  Run awaitEnd(String runId) {
    return runs().awaitRun(awaiting(runId)).getRun();
  }

  /** The whole history, page by page. */
  List<RunEvent> events(String runId) {
    var all = new ArrayList<RunEvent>();
    var token = "";
    do {
      var page =
          runs()
              .listRunEvents(
                  ListRunEventsRequest.newBuilder()
                      .setWorkspace(workspace())
                      .setRunId(runId)
                      .setPageSize(3)
                      .setPageToken(token)
                      .build());
      all.addAll(page.getEventsList());
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    assertThat(all)
        .allSatisfy(
            event ->
                assertThat(event.getType().name())
                    .isEqualTo("RUN_EVENT_TYPE_" + event.getAttributesCase().name()));
    return all;
  }

  List<Step> steps(String runId) {
    return runs()
        .listSteps(ListStepsRequest.newBuilder().setWorkspace(workspace()).setRunId(runId).build())
        .getStepsList();
  }

  PollTasksRequest.Builder polling(String workerId) {
    return PollTasksRequest.newBuilder()
        .setWorkspace(workspace())
        .addQueues(QUEUE)
        .setWorkerId(workerId)
        .setAttemptId(UUID.randomUUID().toString())
        .setMaxTasks(1)
        .setWait(Caller.seconds(20));
  }

  List<Task> poll(PollTasksRequest.Builder poll) {
    return worker().pollTasks(poll.build()).getTasksList();
  }

  /** The task that must come. */
  Task poll(String workerId) {
    var tasks = poll(polling(workerId));
    if (tasks.size() != 1) {
      throw new AssertionError("not one task: " + tasks);
    }
    return tasks.getFirst();
  }

  CompleteTaskRequest.Builder completion(Claim claim) {
    return CompleteTaskRequest.newBuilder().setWorkspace(workspace()).setClaim(claim);
  }

  CompleteTaskResponse complete(Claim claim, String json) {
    return worker().completeTask(completion(claim).setOutput(Caller.json(json)).build());
  }

  FailTaskRequest.Builder failure(Claim claim, FailureKind kind) {
    return FailTaskRequest.newBuilder()
        .setWorkspace(workspace())
        .setClaim(claim)
        .setKind(kind)
        .setFailure(Caller.failure("DECLINED"));
  }

  SignalRunResponse signal(String runId, String signalId, String type) {
    return runs()
        .signalRun(
            SignalRunRequest.newBuilder()
                .setWorkspace(workspace())
                .setRunId(runId)
                .setSignal(
                    NewSignal.newBuilder()
                        .setSignalId(signalId)
                        .setType(type)
                        .setPayload(Caller.json('"' + signalId + '"')))
                .build());
  }

  @Override
  public void close() {
    caller.close();
  }
}
