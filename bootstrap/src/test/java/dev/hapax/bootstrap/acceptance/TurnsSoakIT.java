package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Timestamps;
import dev.hapax.bootstrap.acceptance.TurnsTrace.Shape;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.Limit;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.OnKeyMismatch;
import dev.hapax.v1.QueueFull;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RetryPolicy;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunServiceGrpc.RunServiceBlockingStub;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.Task;
import dev.hapax.v1.WorkerServiceGrpc.WorkerServiceBlockingStub;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Servers are killed and stopped for an hour, or for {@code -Dhapax.soak} minutes, while runs wait
 * for tokens, limits and rates, and fail, time out, and are cancelled, retried and corrected. Each
 * run's history is checked against those of the others.
 */
@Tag("fault")
@Tag("soak")
class TurnsSoakIT {
  private static final int MINUTES = Integer.getInteger("hapax.soak", 60);
  private static final int SERVERS = 3;
  private static final int LIVES = 120;
  private static final int POLLERS = 6;
  private static final int TOKENS = 6;

  /** No run needs longer, whatever is killed. */
  private static final Duration LONGEST_LIFE = Duration.ofMinutes(3);

  /** How long a call waits for a server that may be stopped, without the wait it asks for. */
  private static final int CALL_SECONDS = 5;

  private static final int AWAIT_SECONDS = 10;

  /**
   * A call that creates or revives a run is not given up while its server is stopped: no caller
   * would follow the run when the server continues.
   */
  private static final int START_SECONDS = 60;

  private static final Map<String, Limit> LIMITS =
      Stream.of(
              limit("tenants").setMaxRunning(3),
              limit("pair").setMaxRunning(2),
              limit("whole").setMaxRunning(4),
              limit("pace").setMaxStarts(6).setPer(Caller.seconds(2)))
          .collect(Collectors.toMap(Limit.Builder::getName, Limit.Builder::build));

  private static final Map<String, Shape> SHAPES =
      Map.of(
          "tenants", new Shape(List.of("call"), Optional.of("tenants"), Optional.empty()),
          "tokens", new Shape(List.of("sync"), Optional.empty(), Optional.empty()),
          "both", new Shape(List.of("open", "sync"), Optional.of("pair"), Optional.empty()),
          "whole", new Shape(List.of("first", "second"), Optional.empty(), Optional.of("whole")),
          "paced", new Shape(List.of("call"), Optional.of("pace"), Optional.empty()));

  /** What the callers start, each one always the same. */
  private static final List<String> STARTED =
      List.of("tenants", "tokens", "paced", "both", "tenants", "tokens", "paced", "whole");

  private final Deployment deployment = Deployment.start();
  private final RunCaller first = RunCaller.to(deployment.target());
  private final List<HapaxProcess> servers = new ArrayList<>(List.of(deployment.server()));

  /** One of each server, which is replaced with it. */
  private final List<RunCaller> callers = new CopyOnWriteArrayList<>(List.of(first));

  private final Persistent<RunCaller> anyServer = new Persistent<>(callers);
  private final TurnsHistory history = new TurnsHistory(LIMITS);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
  private final CountDownLatch over = new CountDownLatch(1);
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final AtomicInteger keys = new AtomicInteger();
  private final AtomicInteger deeds = new AtomicInteger();
  private final Set<String> started = ConcurrentHashMap.newKeySet();
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicInteger rejected = new AtomicInteger();
  private final AtomicInteger cancelled = new AtomicInteger();
  private final AtomicInteger retried = new AtomicInteger();
  private final AtomicInteger corrected = new AtomicInteger();
  private final AtomicInteger kills = new AtomicInteger();
  private final AtomicInteger stops = new AtomicInteger();
  private volatile boolean allEnded;

  @AfterEach
  void close() {
    timer.shutdownNow();
    threads.shutdownNow();
    callers.forEach(RunCaller::close);
    first.close();
    deployment.close();
  }

  private static Limit.Builder limit(String name) {
    return Limit.newBuilder().setName(name).setLabel(LimitCaller.LABEL);
  }

  private static ThreadLocalRandom random() {
    return ThreadLocalRandom.current();
  }

  private static boolean isOneOf(int many) {
    return random().nextInt(many) == 0;
  }

  /** A thread whose failure ends the test. */
  private Future<?> run(Callable<?> work) {
    return threads.submit(
        () -> {
          try {
            return work.call();
          } catch (Throwable failure) {
            failures.add(failure);
            over.countDown();
            throw failure;
          }
        });
  }

  /** Asks servers until one answers; one that is stopped is as silent as one that was killed. */
  private <T> T ask(Function<RunCaller, T> call) {
    return anyServer.ask(
        random().nextInt(SERVERS),
        server -> {
          try {
            return call.apply(server);
          } catch (StatusRuntimeException e) {
            throw isUnanswered(e) ? Status.UNAVAILABLE.withCause(e).asRuntimeException() : e;
          }
        });
  }

  /** A connection may be closed between the choice of it and the call. */
  private static boolean isUnanswered(StatusRuntimeException e) {
    return e.getStatus().getCode() == Code.DEADLINE_EXCEEDED
        || e.getCause() instanceof ClosedChannelException;
  }

  private <T> T askRuns(Function<RunServiceBlockingStub, T> call) {
    return askRuns(CALL_SECONDS, call);
  }

  private <T> T askRuns(int seconds, Function<RunServiceBlockingStub, T> call) {
    return ask(server -> call.apply(server.runs().withDeadlineAfter(seconds, TimeUnit.SECONDS)));
  }

  private <T> T askWorkers(Function<WorkerServiceBlockingStub, T> call) {
    return ask(
        server -> call.apply(server.worker().withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS)));
  }

  // definitions

  private static Shape shape(String name) {
    return Objects.requireNonNull(SHAPES.get(name));
  }

  private void define(String name) {
    var shape = shape(name);
    var request =
        RegisterDefinitionRequest.newBuilder()
            .setWorkspace(first.workspace())
            .setName(name)
            .setVersion("1");
    shape.steps().forEach(step -> request.addSteps(step(step)));
    shape
        .ofLast()
        .map(LIMITS::get)
        .ifPresent(
            limit ->
                request
                    .getStepsBuilder(shape.steps().size() - 1)
                    .getTaskBuilder()
                    .addLimits(limit));
    shape.ofRuns().map(LIMITS::get).ifPresent(request::addLimits);
    if (!name.equals("tokens")) {
      request
          .getStepsBuilder(shape.steps().size() - 1)
          .getTaskBuilder()
          .setAttemptTimeout(Caller.seconds(3));
    }
    var _ =
        DefinitionServiceGrpc.newBlockingStub(first.caller().channel())
            .registerDefinition(request.build());
  }

  private static StepDefinition.Builder step(String name) {
    return StepDefinition.newBuilder()
        .setName(name)
        .setTask(
            RunCaller.work(Caller.seconds(4))
                .setRetry(
                    RetryPolicy.newBuilder()
                        .setMaxAttempts(3)
                        .setInitial(Caller.millis(200))
                        .setFactor(2)
                        .setMax(Caller.millis(500))));
  }

  // lives of runs

  /** One run after the other. */
  private boolean live(int number) {
    var name = STARTED.get(number % STARTED.size());
    while (over.getCount() > 0) {
      history.begins(number);
      var request = request(name);
      var next = start(request);
      while (next.isPresent()) {
        next = isCorrected(follow(next.get(), name)) ? start(correct(request)) : Optional.empty();
      }
      history.ends(number);
      if (!history.violations().isEmpty()) {
        over.countDown();
      }
    }
    return true;
  }

  private StartRunRequest.Builder request(String name) {
    var request = first.start(name).setIdempotencyKey("run-" + keys.incrementAndGet());
    if (name.equals("tenants")) {
      request.putLabels(LimitCaller.LABEL, isOneOf(3) ? "small" : "large");
    }
    if (name.equals("tokens") || name.equals("both")) {
      addTokens(request);
    }
    if (name.equals("tokens") && isOneOf(8)) {
      request.setStartAt(
          Timestamps.fromMillis(System.currentTimeMillis() + random().nextInt(2_000)));
    }
    if (isOneOf(10)) {
      request.setTimeout(Caller.millis(1_000 + random().nextInt(8_000)));
    }
    if (isOneOf(10)) {
      request.setStartTimeout(Caller.millis(500 + random().nextInt(5_000)));
    }
    return request;
  }

  /** One token or two; runs of both definitions share half of them. */
  private static void addTokens(StartRunRequest.Builder request) {
    var from = request.getDefinition().equals("both") ? TOKENS / 2 : 0;
    var one = random().nextInt(TOKENS);
    var other = (one + 1 + random().nextInt(TOKENS - 1)) % TOKENS;
    (random().nextBoolean() ? Stream.of(one) : Stream.of(one, other))
        .forEach(
            token ->
                request
                    .addHooksBuilder()
                    .setToken("token/" + (from + token))
                    .setOnConflict(OnConflict.ON_CONFLICT_QUEUE));
    if (isOneOf(6)) {
      request.getHooksBuilder(0).setQueueLimit(3);
    } else if (isOneOf(8)) {
      request.getHooksBuilder(0).setQueueLimit(1).setQueueFull(QueueFull.QUEUE_FULL_SUPERSEDE);
    }
  }

  /** The run that a start leads to; empty = its line is full. */
  private Optional<String> start(StartRunRequest.Builder request) {
    var answer = askRuns(START_SECONDS, runs -> runs.startRun(request.build()));
    if (answer.getDisposition() == Disposition.DISPOSITION_REJECTED) {
      rejected.incrementAndGet();
      return Optional.empty();
    }
    var id = answer.getRun().getId();
    assertThat(started.add(id)).as("another run for %s: %s", request, answer).isTrue();
    if (isOneOf(5)) {
      var again = askRuns(runs -> runs.startRun(request.build()));
      assertThat(again.getRun().getId()).as("repeated: %s", request).isEqualTo(id);
      assertThat(again.getDisposition()).isEqualTo(Disposition.DISPOSITION_EXISTING);
    }
    return Optional.of(id);
  }

  private boolean isCorrected(Run run) {
    return over.getCount() > 0 && run.getStatus() != RunStatus.RUN_STATUS_COMPLETED && isOneOf(4);
  }

  private StartRunRequest.Builder correct(StartRunRequest.Builder request) {
    return request
        .setInput(Caller.json("{\"correction\": " + corrected.incrementAndGet() + "}"))
        .setOnKeyMismatch(OnKeyMismatch.ON_KEY_MISMATCH_RESTART_FAILED);
  }

  /** Awaits the end of a run, which is cancelled or retried now and then, and checks it. */
  private Run follow(String id, String name) {
    if (isOneOf(12) && isOpen(await(id, random().nextInt(3_000)))) {
      cancel(id);
    }
    var run = awaitEnd(id);
    for (var tries = 0; tries < 2 && isRetried(run); tries++) {
      run = awaitEnd(id);
    }
    history.add(TurnsTrace.of(id, shape(name), events(id)));
    ended.incrementAndGet();
    return run;
  }

  private static boolean isOpen(Run run) {
    return !run.hasEndedAt();
  }

  private Run await(String id, int millis) {
    var request = first.awaiting(id).toBuilder().setWait(Caller.millis(millis)).build();
    return askRuns(AWAIT_SECONDS + CALL_SECONDS, runs -> runs.awaitRun(request)).getRun();
  }

  private Run awaitEnd(String id) {
    var deadline = System.nanoTime() + LONGEST_LIFE.toNanos();
    while (true) {
      var run = await(id, AWAIT_SECONDS * 1_000);
      if (!isOpen(run)) {
        return run;
      }
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError(
            "it does not end: %s\n%s\n%s"
                .formatted(run, ask(server -> server.explain(id)), events(id)));
      }
    }
  }

  private void cancel(String id) {
    var request = CancelRunRequest.newBuilder().setWorkspace(first.workspace()).setRunId(id);
    try {
      var _ = askRuns(runs -> runs.cancelRun(request.build()));
      cancelled.incrementAndGet();
    } catch (StatusRuntimeException e) {
      // it has ended meanwhile
      assertThat(e.getStatus().getCode()).isEqualTo(Code.FAILED_PRECONDITION);
    }
  }

  /** Whether it goes on; its tokens may belong to another run. */
  private boolean isRetried(Run run) {
    if (over.getCount() == 0
        || run.getStatus() != RunStatus.RUN_STATUS_FAILED
        || random().nextBoolean()) {
      return false;
    }
    var request =
        RetryRunRequest.newBuilder()
            .setWorkspace(first.workspace())
            .setRunId(run.getId())
            .setRequestId("retry-" + keys.incrementAndGet());
    try {
      var _ = askRuns(START_SECONDS, runs -> runs.retryRun(request.build()));
      retried.incrementAndGet();
      return true;
    } catch (StatusRuntimeException e) {
      assertThat(e.getStatus().getCode()).isEqualTo(Code.FAILED_PRECONDITION);
      return false;
    }
  }

  private List<RunEvent> events(String id) {
    var request =
        ListRunEventsRequest.newBuilder()
            .setWorkspace(first.workspace())
            .setRunId(id)
            .setPageSize(500)
            .build();
    var page = askRuns(runs -> runs.listRunEvents(request));
    assertThat(page.getNextPageToken()).as("the whole history").isEmpty();
    return page.getEventsList();
  }

  // workers

  private boolean poll(int number) {
    while (!allEnded) {
      var poll = first.polling("w" + number).setMaxTasks(10).setWait(Caller.millis(1_000)).build();
      var tasks = askWorkers(worker -> worker.pollTasks(poll)).getTasksList();
      tasks.forEach(this::work);
    }
    return true;
  }

  /** Most tasks are completed; others fail, are dropped, or held for too long. */
  private void work(Task task) {
    var chance = random().nextInt(100);
    if (chance < 76) {
      later(600 + random().nextInt(2_000), () -> complete(task));
    } else if (chance < 84) {
      later(random().nextInt(500), () -> fail(task, FailureKind.FAILURE_KIND_RETRYABLE));
    } else if (chance < 88) {
      later(random().nextInt(500), () -> fail(task, FailureKind.FAILURE_KIND_FINAL));
    } else if (chance < 94) {
      later(2_900 + random().nextInt(3_000), () -> complete(task));
    }
  }

  private void later(int millis, Runnable deed) {
    deeds.incrementAndGet();
    var _ =
        timer.schedule(
            () -> {
              var _ =
                  run(
                      () -> {
                        deed.run();
                        return deeds.decrementAndGet();
                      });
            },
            millis,
            TimeUnit.MILLISECONDS);
  }

  private void complete(Task task) {
    var request = first.completion(task.getClaim()).setOutput(Caller.json("1")).build();
    var answer = askWorkers(worker -> worker.completeTask(request));
    if (answer.hasCompleted()) {
      history.answered(task.getRun().getId(), task.getStep().getName(), task.getClaim().getFence());
    }
  }

  private void fail(Task task, FailureKind kind) {
    var request = first.failure(task.getClaim(), kind).build();
    var _ = askWorkers(worker -> worker.failTask(request));
  }

  // servers

  /** Harms one server or two at a time, so that one lives. */
  private boolean harm() throws InterruptedException {
    while (!isOverAfter(2_000 + random().nextInt(6_000))) {
      var victim = random().nextInt(SERVERS);
      var other = (victim + 1 + random().nextInt(SERVERS - 1)) % SERVERS;
      switch (random().nextInt(10)) {
        case 0, 1 -> stop(victim, 1_000 + random().nextInt(3_000), () -> {});
        case 2 -> stop(victim, 5_000 + random().nextInt(10_000), () -> {});
        case 3 -> stop(victim, 4_000 + random().nextInt(4_000), () -> replace(other));
        case 4 -> {
          kill(victim);
          replace(other);
          add(victim);
        }
        default -> replace(victim);
      }
    }
    return true;
  }

  private boolean isOverAfter(int millis) throws InterruptedException {
    return over.await(millis, TimeUnit.MILLISECONDS);
  }

  private void stop(int number, int millis, Runnable meanwhile) throws InterruptedException {
    history.stopped();
    servers.get(number).stop();
    stops.incrementAndGet();
    try {
      meanwhile.run();
      var _ = isOverAfter(millis);
    } finally {
      servers.get(number).cont();
      history.continued();
    }
  }

  private void replace(int number) {
    kill(number);
    add(number);
  }

  private void kill(int number) {
    assertThat(servers.get(number).isAlive()).as("it has not ended by itself").isTrue();
    servers.get(number).kill9();
    kills.incrementAndGet();
  }

  private void add(int number) {
    var server = deployment.add();
    var caller = first.via(server.awaitReady());
    if (number == servers.size()) {
      servers.add(server);
      callers.add(caller);
      return;
    }
    servers.set(number, server);
    callers.set(number, caller).close();
  }

  // the end

  private void report(long since) {
    System.out.printf(
        "turns after %d s: %d started, %d ended, %d rejected, %d cancelled, %d retried, %d"
            + " corrected, %d kills, %d stops, %d calls unanswered; %s%n",
        Duration.ofNanos(System.nanoTime() - since).toSeconds(),
        started.size(),
        ended.get(),
        rejected.get(),
        cancelled.get(),
        retried.get(),
        corrected.get(),
        kills.get(),
        stops.get(),
        anyServer.unanswered().get(),
        history.longest());
  }

  private void requireNothingLeft() {
    var left =
        Map.of(
            "runs that have not ended",
            "hapax.run WHERE phase < 6",
            "places that count",
            """
            hapax.place p JOIN hapax.run r ON r.workspace = p.workspace AND r.id = p.run_id
            WHERE r.phase = 0 AND r.turn = p.turn
            """,
            "slots that count",
            """
            hapax.slot s JOIN hapax.run r ON r.workspace = s.workspace AND r.id = s.run_id
            WHERE r.phase IN (1, 2) AND r.turn = s.turn OR r.definition_turn = s.turn
            """);
    var counts = new TreeMap<String, Integer>();
    left.forEach((what, rows) -> counts.put(what, deployment.count(rows)));
    assertThat(counts).allSatisfy((_, count) -> assertThat(count).isZero());
    assertThat(deployment.count("hapax.run"))
        .as("each start led to one run")
        .isEqualTo(started.size());
    assertThat(
            deployment
                .database()
                .query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"))
        .as("deadlocks")
        .isEqualTo("0");
  }

  @Test
  @DisplayName(
      "given kill loops over three servers, then no run goes before its turn, beyond a limit or a"
          + " rate, or waits without a reason [turns-F4, turns-L1, turns-L7]")
  void hour() throws Exception {
    SHAPES.keySet().forEach(this::define);
    while (servers.size() < SERVERS) {
      add(servers.size());
    }
    var since = System.nanoTime();
    var lives = IntStream.range(0, LIVES).mapToObj(i -> run(() -> live(i))).toList();
    var workers = IntStream.range(0, POLLERS).mapToObj(i -> run(() -> poll(i))).toList();
    var killer = run(this::harm);
    var reports = timer.scheduleAtFixedRate(() -> report(since), 10, 10, TimeUnit.SECONDS);

    var _ = over.await(MINUTES, TimeUnit.MINUTES);
    over.countDown();
    Condition.await("all servers live", Condition.MUCH_WORK, killer::isDone);
    Condition.await(
        "all runs end", LONGEST_LIFE.plusMinutes(1), () -> lives.stream().allMatch(Future::isDone));
    Condition.await(
        "all work ends", Condition.MUCH_WORK, () -> deeds.get() == 0 || !failures.isEmpty());
    allEnded = true;
    Condition.await(
        "all workers end", Condition.MUCH_WORK, () -> workers.stream().allMatch(Future::isDone));
    reports.cancel(false);
    report(since);
    System.out.println("turns: " + history.summary());

    assertThat(history.violations()).isEmpty();
    assertThat(failures).isEmpty();
    assertThat(history.unmatched())
        .as("completions that no worker learned of, or learned twice")
        .isEmpty();
    requireNothingLeft();
  }
}
