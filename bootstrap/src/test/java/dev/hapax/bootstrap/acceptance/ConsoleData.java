package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.Failure;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.Limit;
import dev.hapax.v1.LimitServiceGrpc;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.Payload;
import dev.hapax.v1.SetLimitRequest;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * What the console shows in tests: runs, limits, hooks, operations and entities in their states.
 *
 * @param spelling changes each text that callers choose freely
 */
record ConsoleData(RunCaller runs, UnaryOperator<String> spelling) implements AutoCloseable {
  private static final int CHECKOUTS = 8;

  /** Those that a worker has begun; the others are ready. */
  private static final int BEGUN = 6;

  private static final long HOUR = 3_600;

  /** Writes the data into a workspace of its own. */
  static ConsoleData write(String target, UnaryOperator<String> spelling) {
    var data = new ConsoleData(RunCaller.to(target), spelling);
    data.define();
    data.render();
    data.checkOut();
    data.writeOperations();
    data.writeEntities();
    return data;
  }

  String workspace() {
    return runs.workspace();
  }

  String checkout() {
    return spelling.apply("checkout");
  }

  private void define() {
    var render = task("render", "documents").toBuilder();
    render
        .getTaskBuilder()
        .addLimits(
            Limit.newBuilder()
                .setName(spelling.apply("printer"))
                .setLabel(spelling.apply("region"))
                .setMaxRunning(1));
    runs.define(spelling.apply("invoice"), render.build());
    runs.define(
        checkout(),
        task("charge", "payments"),
        RunCaller.signal(spelling.apply("approved"), spelling.apply("approval")),
        task("ship", "shipping"));
  }

  private StepDefinition task(String name, String queue) {
    return StepDefinition.newBuilder()
        .setName(spelling.apply(name))
        .setTask(RunCaller.work(Caller.seconds(HOUR)).setQueue(spelling.apply(queue)))
        .build();
  }

  /** Starts a checkout that waits for a worker. */
  String start(int number) {
    return runs.send(
            runs.start(checkout())
                .setIdempotencyKey(spelling.apply("order-" + number))
                .setActor(spelling.apply("shop"))
                .setInput(json("{\"order\": %d, \"total\": 9223372036854775807}", number))
                .addHooks(
                    StartRunRequest.Hook.newBuilder()
                        .setToken(spelling.apply("order/" + number))
                        .setOnConflict(OnConflict.ON_CONFLICT_REJECT))
                .putLabels(spelling.apply("region"), spelling.apply("eu")))
        .getRun()
        .getId();
  }

  private static Payload json(String format, Object... values) {
    return Caller.json(String.format(Locale.ROOT, format, values));
  }

  private List<Task> poll(String queue, int count) {
    var tasks = new ArrayList<Task>();
    while (tasks.size() < count) {
      tasks.addAll(
          runs.poll(
              runs.polling(spelling.apply("worker-1"))
                  .clearQueues()
                  .addQueues(spelling.apply(queue))
                  .setMaxTasks(count - tasks.size())));
    }
    return tasks;
  }

  private void render() {
    var _ = runs.started(spelling.apply("invoice"));
    complete(poll("documents", 1).getFirst().getClaim());
    limit();
  }

  /** The second run waits at the limit. */
  private void limit() {
    for (var i = 0; i < 2; i++) {
      var _ =
          runs.send(
              runs.start(spelling.apply("invoice"))
                  .putLabels(spelling.apply("region"), spelling.apply("eu")));
    }
    var _ =
        LimitServiceGrpc.newBlockingStub(runs.caller().channel())
            .setLimit(
                SetLimitRequest.newBuilder()
                    .setWorkspace(workspace())
                    .setName(spelling.apply("printer"))
                    .setKey(spelling.apply("eu"))
                    .setMaxRunning(1)
                    .setActor(spelling.apply("dora"))
                    .setReason(spelling.apply("the other one is broken"))
                    .build());
  }

  private void complete(Claim claim) {
    var _ =
        runs.worker()
            .completeTask(
                runs.completion(claim)
                    .setOutput(json("{\"by\": \"%s\"}", escaped("a worker")))
                    .setStatePatch(json("{\"note\": \"%s\"}", escaped("done")))
                    .build());
  }

  private String escaped(String text) {
    return spelling.apply(text).replace("\\", "\\\\").replace("\"", "\\\"");
  }

  private void checkOut() {
    var ids = new ArrayList<String>();
    for (var i = 1; i <= CHECKOUTS; i++) {
      ids.add(start(i));
    }
    var tasks = poll("payments", BEGUN);
    for (var task : tasks.subList(0, 2)) {
      fail(task);
    }
    for (var task : tasks.subList(2, 5)) {
      complete(task.getClaim());
    }
    var approved = tasks.get(2).getRun().getId();
    signal(approved);
    pause(tasks.get(3).getRun().getId());
    tasks.forEach(task -> ids.remove(task.getRun().getId()));
    cancel(ids.getFirst());
  }

  private void signal(String run) {
    var _ =
        runs.runs()
            .signalRun(
                SignalRunRequest.newBuilder()
                    .setWorkspace(workspace())
                    .setRunId(run)
                    .setActor(spelling.apply("carla"))
                    .setSignal(
                        NewSignal.newBuilder()
                            .setSignalId(spelling.apply("signal-1"))
                            .setType(spelling.apply("approval"))
                            .setPayload(json("{\"of\": \"%s\"}", escaped("the boss"))))
                    .build());
  }

  private void fail(Task task) {
    var failed =
        runs.worker()
            .failTask(
                FailTaskRequest.newBuilder()
                    .setWorkspace(workspace())
                    .setClaim(task.getClaim())
                    .setKind(FailureKind.FAILURE_KIND_FINAL)
                    .setFailure(failure())
                    .build());
    assertThat(failed.hasFailed()).isTrue();
  }

  private Failure failure() {
    return Failure.newBuilder()
        .setCode(spelling.apply("CARD_DECLINED"))
        .setMessage(spelling.apply("the bank declined the card"))
        .setDetails(json("{\"bank\": \"%s\"}", escaped("first bank")))
        .build();
  }

  private void pause(String run) {
    var _ =
        runs.runs()
            .pauseRun(
                PauseRunRequest.newBuilder()
                    .setWorkspace(workspace())
                    .setRunId(run)
                    .setActor(spelling.apply("anna"))
                    .setReason(spelling.apply("the warehouse is closed"))
                    .build());
  }

  /** Cancels a run as another caller does. */
  void cancel(String run) {
    var _ =
        runs.runs()
            .cancelRun(
                CancelRunRequest.newBuilder()
                    .setWorkspace(workspace())
                    .setRunId(run)
                    .setActor(spelling.apply("berta"))
                    .setReason(spelling.apply("the customer has called"))
                    .build());
  }

  private void writeOperations() {
    var caller = runs.caller();
    var _ =
        caller.complete(
            caller.acquire(spelling.apply("request-1")),
            Caller.json('"' + escaped("an answer") + '"'));
    var unknown = caller.acquire(spelling.apply("request-2"));
    var _ =
        caller
            .calls()
            .failOperation(
                caller.failure(unknown, FailureKind.FAILURE_KIND_UNKNOWN_EFFECT, failure()));
    var _ =
        caller.acquire(caller.begin(spelling.apply("request-3")).setLease(Caller.seconds(HOUR)));
  }

  private void writeEntities() {
    var claims = new ClaimCaller(runs);
    claims.declare(ClaimCaller.contract());
    var _ = claims.apply(ClaimCaller.BILLING);
    var _ = claims.approved(spelling.apply("invoice-1"));
    var _ = claims.approved(spelling.apply("invoice-2"));
    var _ = claims.claimed(spelling.apply("invoice-2"));
    var _ = claims.approved(spelling.apply("invoice-3"));
    var _ = claims.complete(claims.claimed(spelling.apply("invoice-3")));
  }

  @Override
  public void close() {
    runs.close();
  }
}
