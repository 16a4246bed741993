package dev.hapax.bench;

import com.google.protobuf.Duration;
import com.google.protobuf.Empty;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.AwaitRunResponse;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.Payload;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.PollTasksResponse;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalHookRequest;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.Task;
import dev.hapax.v1.TaskStep;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.Channel;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;

/** Clients that start runs, and workers that do their steps. */
public final class RunLoad {
  /** Concurrent polls, each for up to {@link #TASKS} tasks. */
  private static final int POLLS = 4;

  private static final int TASKS = 64;
  private static final Duration WAIT = Duration.newBuilder().setSeconds(30).build();
  private static final ClosedLoopLoad.Next IGNORED = new Ignored();

  private final BenchCalls calls;
  private final String definition;
  private final ConcurrentMap<String, ClosedLoopLoad.Next> callers = new ConcurrentHashMap<>();

  private RunLoad(Channel channel, String definition) {
    this.calls = new BenchCalls(channel);
    this.definition = definition;
  }

  /** Runs of this many steps, without workers. */
  public static RunLoad unworked(Channel channel, String name, int steps) {
    return new RunLoad(channel, define(channel, name, steps));
  }

  /** Runs of this many steps, with workers that start now. */
  public static RunLoad worked(Channel channel, String name, int steps) {
    return work(new RunLoad(channel, define(channel, name, steps)));
  }

  /** Runs of one step that waits for a signal, with workers that start now. */
  public static RunLoad signalled(Channel channel, String name) {
    var signal =
        StepDefinition.newBuilder()
            .setName("signal")
            .setSignal(SignalStep.newBuilder().setAny(Empty.getDefaultInstance()));
    var request = RegisterDefinitionRequest.newBuilder().addSteps(signal);
    return work(new RunLoad(channel, define(channel, name, 1, request)));
  }

  private static RunLoad work(RunLoad load) {
    for (var poll = 0; poll < POLLS; poll++) {
      load.poll("worker-" + poll);
    }
    return load;
  }

  /** Registers a definition of this many steps and returns its name. */
  public static String define(Channel channel, String name, int steps) {
    return define(channel, name, steps, RegisterDefinitionRequest.newBuilder());
  }

  private static String define(
      Channel channel, String name, int steps, RegisterDefinitionRequest.Builder request) {
    request.setName(name).setVersion("1");
    for (var step = 1; step <= steps; step++) {
      request.addSteps(
          StepDefinition.newBuilder()
              .setName("step-" + step)
              .setTask(TaskStep.newBuilder().setQueue(name)));
    }
    var _ = DefinitionServiceGrpc.newBlockingStub(channel).registerDefinition(request.build());
    return name;
  }

  /** Starts a run with a new idempotency key. */
  public void start(int lane, ClosedLoopLoad.Next next) {
    start(request(OperationLoad.newKey()).build(), next, _ -> next.done());
  }

  /** Starts a run; the turn ends when its last step is completed. */
  public void run(int lane, ClosedLoopLoad.Next next) {
    var key = OperationLoad.newKey();
    callers.put(key, next);
    start(request(key).build(), next, _ -> {});
  }

  /** Starts a run; the turn ends when the answer to the start says that the run has ended. */
  public void await(int lane, ClosedLoopLoad.Next next) {
    var request = request(OperationLoad.newKey()).setWait(WAIT).build();
    start(request, next, started -> ended(started.getRun(), next));
  }

  /** Starts a run, and awaits its end by another call. */
  public void startThenAwait(int lane, ClosedLoopLoad.Next next) {
    start(
        request(OperationLoad.newKey()).build(),
        next,
        started ->
            calls.send(
                RunServiceGrpc.getAwaitRunMethod(),
                AwaitRunRequest.newBuilder()
                    .setRunId(started.getRun().getId())
                    .setWait(WAIT)
                    .build(),
                next,
                (AwaitRunResponse awaited) -> ended(awaited.getRun(), next)));
  }

  private static void ended(Run run, ClosedLoopLoad.Next next) {
    if (run.getStatus() == RunStatus.RUN_STATUS_COMPLETED) {
      next.done();
    } else {
      next.failed(new IllegalStateException("the run has not ended: " + run));
    }
  }

  /** Starts a run with a token and signals it; the turn ends when its step is completed. */
  public void runWithSignal(int lane, ClosedLoopLoad.Next next) {
    var token = OperationLoad.newKey();
    callers.put(token, next);
    var hook = StartRunRequest.Hook.newBuilder().setToken(token);
    start(request(token).addHooks(hook).build(), next, _ -> signal(token, next));
  }

  private void signal(String token, ClosedLoopLoad.Next next) {
    var request =
        SignalHookRequest.newBuilder()
            .setToken(token)
            .setSignal(
                NewSignal.newBuilder()
                    .setSignalId(OperationLoad.newKey())
                    .setPayload(Payload.newBuilder().setJson(OperationLoad.RESULT)))
            .build();
    calls.send(HookServiceGrpc.getSignalHookMethod(), request, next, _ -> {});
  }

  private StartRunRequest.Builder request(String key) {
    return StartRunRequest.newBuilder()
        .setDefinition(definition)
        .setIdempotencyKey(key)
        .setInput(Payload.newBuilder().setJson('"' + key + '"'));
  }

  private void start(
      StartRunRequest request, ClosedLoopLoad.Next next, Consumer<StartRunResponse> then) {
    calls.send(RunServiceGrpc.getStartRunMethod(), request, next, then);
  }

  private void poll(String worker) {
    var request =
        PollTasksRequest.newBuilder()
            .addQueues(definition)
            .setWorkerId(worker)
            .setAttemptId(OperationLoad.newKey())
            .setMaxTasks(TASKS)
            .setWait(Duration.newBuilder().setSeconds(20))
            .build();
    calls.send(
        WorkerServiceGrpc.getPollTasksMethod(),
        request,
        IGNORED,
        (PollTasksResponse polled) -> {
          polled.getTasksList().forEach(this::complete);
          poll(worker);
        });
  }

  private void complete(Task task) {
    var request =
        CompleteTaskRequest.newBuilder()
            .setClaim(task.getClaim())
            .setOutput(Payload.newBuilder().setJson(OperationLoad.RESULT))
            .setWantNext(true)
            .build();
    var key = task.getInput().getJson().replace("\"", "");
    var caller = callers.getOrDefault(key, IGNORED);
    calls.send(
        WorkerServiceGrpc.getCompleteTaskMethod(),
        request,
        caller,
        (CompleteTaskResponse completed) -> {
          if (completed.getCompleted().hasNext()) {
            complete(completed.getCompleted().getNext());
          } else if (completed.hasCompleted()) {
            callers.remove(key);
            caller.done();
          } else {
            caller.failed(new IllegalStateException("task not completed: " + completed));
          }
        });
  }

  /** For polls: they fail when the server stops, and no turn waits for them. */
  private static final class Ignored implements ClosedLoopLoad.Next {
    @Override
    public void done() {}

    @Override
    public void failed(Throwable cause) {}
  }
}
