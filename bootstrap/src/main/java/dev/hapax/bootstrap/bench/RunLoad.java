package dev.hapax.bootstrap.bench;

import com.google.protobuf.Duration;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.Payload;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.PollTasksResponse;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RunServiceGrpc;
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
final class RunLoad {
  /** Polls under way, each for up to so many tasks. */
  private static final int POLLS = 4;

  private static final int TASKS = 64;
  private static final Lanes.Next NOBODY = new Nobody();

  private final Calls calls;
  private final String definition;
  private final ConcurrentMap<String, Lanes.Next> callers = new ConcurrentHashMap<>();

  private RunLoad(Channel channel, String definition) {
    this.calls = new Calls(channel);
    this.definition = definition;
  }

  /** Runs of so many steps, which nobody works on. */
  static RunLoad unworked(Channel channel, String name, int steps) {
    return new RunLoad(channel, define(channel, name, steps));
  }

  /** Runs of so many steps, with workers from now on. */
  static RunLoad worked(Channel channel, String name, int steps) {
    var load = new RunLoad(channel, define(channel, name, steps));
    for (var poll = 0; poll < POLLS; poll++) {
      load.poll("worker-" + poll);
    }
    return load;
  }

  static String define(Channel channel, String name, int steps) {
    var request = RegisterDefinitionRequest.newBuilder().setName(name).setVersion("1");
    for (var step = 1; step <= steps; step++) {
      request.addSteps(
          StepDefinition.newBuilder()
              .setName("step-" + step)
              .setTask(TaskStep.newBuilder().setQueue(name)));
    }
    var _ = DefinitionServiceGrpc.newBlockingStub(channel).registerDefinition(request.build());
    return name;
  }

  /** Starts a run under a key of its own. */
  void start(int lane, Lanes.Next next) {
    start(OperationLoad.newKey(), next, _ -> next.done());
  }

  /** Starts a run; the turn is over when its last step is completed. */
  void run(int lane, Lanes.Next next) {
    var key = OperationLoad.newKey();
    callers.put(key, next);
    start(key, next, _ -> {});
  }

  private void start(String key, Lanes.Next next, Consumer<StartRunResponse> then) {
    var request =
        StartRunRequest.newBuilder()
            .setDefinition(definition)
            .setIdempotencyKey(key)
            .setInput(Payload.newBuilder().setJson('"' + key + '"'))
            .build();
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
        NOBODY,
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
    var caller = callers.getOrDefault(key, NOBODY);
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
            caller.failed(new IllegalStateException("a claim was lost: " + completed));
          }
        });
  }

  /** A poll fails when its server stops, and nothing waits for it. */
  private static final class Nobody implements Lanes.Next {
    @Override
    public void done() {}

    @Override
    public void failed(Throwable cause) {}
  }
}
