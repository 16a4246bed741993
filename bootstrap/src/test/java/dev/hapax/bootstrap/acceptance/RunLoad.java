package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.RetryPolicy;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.Step;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.Task;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Clients that start many runs and signal each by the token of its hook, and workers that work
 * them. Each sends a request until it is answered, a completion even twice, and remembers the
 * answers.
 */
final class RunLoad implements AutoCloseable {
  private static final int CLIENTS = 4;
  private static final int WORKERS = 8;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final int runs;
  private volatile List<RunCaller> callers;
  private volatile boolean over;
  private final Semaphore allowed = new Semaphore(0);
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger unavailable = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final List<Thread> threads = new ArrayList<>();
  private final List<RunCaller> opened = new ArrayList<>();
  private final ConcurrentMap<String, String> started = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, Set<String>> accepted = new ConcurrentHashMap<>();
  private final Queue<String> oddities = new ConcurrentLinkedQueue<>();

  private RunLoad(int runs, List<RunCaller> callers) {
    this.runs = runs;
    this.callers = callers;
  }

  /** So many runs of two tasks with a signal between them. */
  static RunLoad start(int runs, RunCaller... callers) {
    var load = allowed(runs, callers);
    load.allow(runs);
    return load;
  }

  /** As {@link #start}, but each run starts only when it is allowed. */
  static RunLoad allowed(int runs, RunCaller... callers) {
    callers[0].define("order", task("a"), RunCaller.signal("approval", "go"), task("b"));
    var load = new RunLoad(runs, List.of(callers));
    for (var i = 0; i < CLIENTS; i++) {
      load.begin(load::beClient);
    }
    for (var i = 0; i < WORKERS; i++) {
      var name = "worker-" + i;
      load.begin(() -> load.beWorker(name));
    }
    return load;
  }

  /** Each fault may cost an attempt. */
  private static StepDefinition task(String name) {
    return StepDefinition.newBuilder()
        .setName(name)
        .setTask(
            RunCaller.work(Caller.millis(1_000))
                .setRetry(RetryPolicy.newBuilder().setMaxAttempts(20)))
        .build();
  }

  private void begin(Runnable body) {
    threads.add(
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    body.run();
                  } catch (RuntimeException | AssertionError e) {
                    oddities.add(e.toString());
                  }
                }));
  }

  /** Lets so many more runs start. */
  void allow(int more) {
    allowed.release(more);
  }

  /** From now on all clients call these servers. */
  void use(String... targets) {
    var next = Stream.of(targets).map(callers.getFirst()::via).toList();
    opened.addAll(next);
    callers = next;
  }

  private void beClient() {
    for (var i = next.getAndIncrement(); i < runs; i = next.getAndIncrement()) {
      allowed.acquireUninterruptibly();
      var key = "run-" + i;
      var hook = StartRunRequest.Hook.newBuilder().setToken(key);
      var id =
          answered(c -> c.send(c.start("order").setIdempotencyKey(key).addHooks(hook)))
              .getRun()
              .getId();
      started.put(key, id);
      var _ = answered(c -> resume(c, key));
      var _ = answered(c -> c.signal(id, "signal", "go"));
    }
  }

  /** Signals the owner of a token, unless an attempt before has ended it. */
  private static boolean resume(RunCaller caller, String token) {
    try {
      var hooks = new HookCaller(caller);
      var signal = HookCaller.signal("signal").toBuilder().setType("go");
      var _ = hooks.hooks().signalHook(hooks.toOwner(token, "signal").setSignal(signal).build());
      return true;
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Code.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  private void beWorker(String name) {
    while (!over) {
      var request =
          callers.getFirst().polling(name).setMaxTasks(5).setWait(Caller.seconds(1)).build();
      var tasks = answered(c -> c.worker().pollTasks(request)).getTasksList();
      tasks.forEach(task -> complete(task, name));
    }
  }

  private void complete(Task task, String worker) {
    var output = String.format(Locale.ROOT, "\"%s, %d\"", worker, task.getClaim().getFence());
    var first = complete(task.getClaim(), output);
    var second = complete(task.getClaim(), output);
    if (first.hasClaimLost()) {
      refused.incrementAndGet();
    } else {
      accepted
          .computeIfAbsent(task.getStep().getId(), _ -> ConcurrentHashMap.newKeySet())
          .add(output);
    }
    if (first.hasCompleted() != second.hasCompleted()
        || (second.hasCompleted() && !second.getCompleted().getAlready())) {
      oddities.add("completed, then again: %s, %s".formatted(first, second));
    }
  }

  private CompleteTaskResponse complete(Claim claim, String output) {
    return answered(c -> c.complete(claim, output));
  }

  /** Sends it until it is answered, now to this one, now to that. */
  private <R> R answered(Function<RunCaller, R> call) {
    for (var i = (int) Thread.currentThread().threadId(); ; i++) {
      try {
        var now = callers;
        return call.apply(now.get(i % now.size()));
      } catch (StatusRuntimeException e) {
        if (!Rivals.mayBeSentAgain(e.getStatus())) {
          throw e;
        }
        unavailable.incrementAndGet();
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** How many starts were acknowledged. */
  int started() {
    return started.size();
  }

  /** How many steps were completed, by the answers to their workers. */
  int completed() {
    return accepted.size();
  }

  int timesUnavailable() {
    return unavailable.get();
  }

  /** Waits until all is done, and looks whether it was done once. */
  void finish() {
    Condition.await(
        "all steps are completed, " + this,
        PATIENCE,
        () -> !oddities.isEmpty() || completed() == 2 * runs);
    over = true;
    for (var thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted", e);
      }
    }
    assertThat(oddities).isEmpty();
    var caller = callers.getFirst();
    assertThat(started).hasSize(runs);
    assertThat(caller.list())
        .extracting(Run::getId)
        .containsExactlyInAnyOrderElementsOf(started.values());
    var ids = List.copyOf(started.values());
    var stored =
        ConcurrentCalls.call(
            runs,
            i ->
                caller
                    .futures()
                    .getRun(
                        GetRunRequest.newBuilder()
                            .setWorkspace(caller.workspace())
                            .setRunId(ids.get(i))
                            .build()));
    var events =
        ConcurrentCalls.call(
            runs,
            i ->
                caller
                    .futures()
                    .listRunEvents(
                        ListRunEventsRequest.newBuilder()
                            .setWorkspace(caller.workspace())
                            .setRunId(ids.get(i))
                            .setPageSize(500)
                            .build()));
    var steps =
        ConcurrentCalls.call(
            runs,
            i ->
                caller
                    .futures()
                    .listSteps(
                        ListStepsRequest.newBuilder()
                            .setWorkspace(caller.workspace())
                            .setRunId(ids.get(i))
                            .build()));
    for (var i = 0; i < runs; i++) {
      assertDoneOnce(
          stored.get(i).getRun(), events.get(i).getEventsList(), steps.get(i).getStepsList());
    }
  }

  private void assertDoneOnce(Run run, List<RunEvent> events, List<Step> steps) {
    assertThat(run.getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(events)
        .extracting(RunEvent::getVersion)
        .containsExactlyElementsOf(LongStream.rangeClosed(1, run.getVersion()).boxed().toList());
    assertThat(events)
        .filteredOn(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED)
        .extracting(RunEvent::getStepName)
        .containsExactly("a", "approval", "b");
    assertThat(events)
        .extracting(RunEvent::getType)
        .containsOnlyOnce(
            RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED, RunEventType.RUN_EVENT_TYPE_COMPLETED);
    assertThat(events)
        .filteredOn(RunEvent::hasSignalReceived)
        .allMatch(event -> !event.getSignalReceived().getSignal().getHook().isEmpty());
    for (var step : steps) {
      if (!step.getName().equals("approval")) {
        assertThat(accepted.get(step.getId()))
            .as("the one output that was accepted")
            .containsExactly(step.getOutput().getJson());
      }
    }
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d started, %d steps completed, %d refused, %d times unavailable",
        started(),
        completed(),
        refused.get(),
        timesUnavailable());
  }

  @Override
  public void close() {
    over = true;
    opened.forEach(RunCaller::close);
  }
}
