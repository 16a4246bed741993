package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.Failure;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.ClaimTaskOutcome;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.CompleteTaskOutcome;
import dev.hapax.domain.run.FailTask;
import dev.hapax.domain.run.FailTaskOutcome;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.RunTimeouts;
import dev.hapax.domain.run.SignalId;
import dev.hapax.domain.run.SignalRun;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.ledger.SteeredLedger;
import dev.hapax.testkit.run.InMemoryRunReads;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Runs without a database, with a clock that the test advances. */
final class House {
  static final Workspace WORKSPACE = new Workspace("house");
  static final String QUEUE = "orders";
  static final Duration LEASE = Duration.ofSeconds(30);

  final SettableClock clock = new SettableClock();
  final ManualScheduler scheduler = new ManualScheduler(clock);
  final InMemoryLedger ledger = new InMemoryLedger(clock);
  final SteeredLedger steered = new SteeredLedger(ledger);

  /** Reads of these names are made when this is completed. */
  final Map<String, CompletableFuture<Void>> held = new ConcurrentHashMap<>();

  /** Reads of these names fail. */
  final Set<String> broken = ConcurrentHashMap.newKeySet();

  final WaiterQuota places = new WaiterQuota();
  final Runs runs;
  final Tasks tasks;

  House() {
    var services =
        new RunServices(
            steered,
            breakable(new InMemoryRunReads(ledger, clock)),
            places,
            clock,
            new Random(1)::nextLong,
            scheduler);
    runs = services.runs();
    tasks = services.tasks();
    services.start();
    pass(Duration.ZERO);
  }

  private RunReads breakable(RunReads reads) {
    return (RunReads)
        Proxy.newProxyInstance(
            RunReads.class.getClassLoader(),
            new Class<?>[] {RunReads.class},
            (_, method, arguments) ->
                broken.contains(method.getName())
                    ? CompletableFuture.failedFuture(new IllegalStateException("broken"))
                    : held.getOrDefault(method.getName(), CompletableFuture.completedFuture(null))
                        .thenCompose(_ -> read(reads, method, arguments)));
  }

  private static CompletableFuture<?> read(RunReads reads, Method method, Object[] arguments) {
    try {
      return (CompletableFuture<?>) method.invoke(reads, arguments);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  void pass(Duration time) {
    scheduler.advance(time);
  }

  static StepDefinition task(String name) {
    return new StepDefinition(
        name, new StepDefinition.Task(new StepDefinition.Work(QUEUE, LEASE, RetryPolicy.DEFAULT)));
  }

  static StepDefinition timer(String name, Duration time) {
    return new StepDefinition(name, new StepDefinition.Timer(new StepDefinition.Timer.After(time)));
  }

  static StepDefinition signal(String name, String type) {
    return new StepDefinition(
        name, new StepDefinition.Signal(new SignalFilter.OfType(type), Optional.empty()));
  }

  Run start(StepDefinition... steps) {
    return ((StartOutcome.Created) runs.start(startOf(Optional.empty(), steps)).join()).run();
  }

  Run start(RunTimeouts timeouts, StepDefinition step) {
    var start = startOf(Optional.empty(), step);
    var parameters =
        new RunParameters(start.parameters().input(), Map.of(), Optional.empty(), timeouts);
    var within =
        new StartRun(
            start.run(),
            start.definition(),
            false,
            parameters,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            start.actor());
    return ((StartOutcome.Created) runs.start(within).join()).run();
  }

  /** A start that may not be answered yet; the run it created. */
  CompletableFuture<Run> startLater(StepDefinition... steps) {
    return runs.start(startOf(Optional.empty(), steps))
        .thenApply(outcome -> ((StartOutcome.Created) outcome).run());
  }

  /** A start whose caller waits for the end of the run. */
  CompletableFuture<Optional<Run>> startAndAwait(Duration wait, StepDefinition... steps) {
    var start = startOf(Optional.empty(), steps);
    return runs.awaitFromStart(
        start.run(),
        wait,
        () ->
            runs.start(start)
                .thenApply(outcome -> Optional.of(((StartOutcome.Created) outcome).run())));
  }

  /** A start under a key, which may not be answered yet. */
  CompletableFuture<StartOutcome> startKeyed(String key, StepDefinition... steps) {
    var keyed =
        new StartRun.Key(
            RunKeyId.of(WORKSPACE, key),
            Fingerprint.of(new byte[0]),
            StartRun.Key.DEFAULT_RETENTION);
    return runs.start(startOf(Optional.of(keyed), steps));
  }

  /** Starts a run on another node, of which this one learns by its queries only. */
  void startElsewhere(StepDefinition... steps) {
    assertThat(ledger.submit(startOf(Optional.empty(), steps)).join())
        .isInstanceOf(StartOutcome.Created.class);
  }

  /** Has a worker of another node claim the task of a run. */
  void claimElsewhere(Run run) {
    assertThat(
            ledger
                .submit(
                    new ClaimTask(
                        run.id(), QUEUE, "elsewhere", Optional.empty(), 1, PrincipalName.NONE))
                .join())
        .isInstanceOf(ClaimTaskOutcome.Claimed.class);
  }

  private StartRun startOf(Optional<StartRun.Key> key, StepDefinition... steps) {
    return new StartRun(
        new RunId(WORKSPACE, runs.draw()),
        new Definition(new DefinitionId(WORKSPACE, "order", "1"), List.of(steps), clock.instant()),
        new Payload.Json("{}"),
        Map.of(),
        Optional.empty(),
        key,
        Optional.empty(),
        Actor.caller("test"));
  }

  Run look(Run run) {
    return runs.find(run.id()).join().orElseThrow();
  }

  CompletableFuture<List<Task>> poll(String attempt, Duration wait) {
    return tasks.poll(
        new PollRequest(
            WORKSPACE,
            List.of(QUEUE),
            "worker",
            Optional.of(UUID.nameUUIDFromBytes(attempt.getBytes(StandardCharsets.UTF_8))),
            10,
            PrincipalName.NONE),
        wait);
  }

  Task pollOne(String attempt) {
    var found = new ArrayList<>(poll(attempt, Duration.ZERO).join());
    pass(Duration.ZERO);
    assertThat(found).hasSize(1);
    return found.getFirst();
  }

  CompleteTaskOutcome complete(Task task) {
    return tasks
        .complete(
            new CompleteTask(
                task.run().claim().orElseThrow(),
                Optional.of(new Payload.Json("1")),
                Optional.empty(),
                List.of(),
                false,
                OptionalLong.empty(),
                PrincipalName.NONE))
        .join()
        .outcome();
  }

  void fail(Task task) {
    fail(task, false, Optional.empty(), 0);
  }

  /** Fails a task, whose next attempt is due within a second unless this is the last one. */
  void fail(Task task, boolean isFinal) {
    fail(task, isFinal, Optional.of(Duration.ofSeconds(1)), 0.5);
  }

  private void fail(Task task, boolean isFinal, Optional<Duration> retryAfter, double jitter) {
    var failure = new Failure("DECLINED", "no such card", Optional.empty());
    var command =
        new FailTask(
            task.run().claim().orElseThrow(),
            failure,
            isFinal,
            retryAfter,
            jitter,
            PrincipalName.NONE);
    assertThat(tasks.fail(command).join()).isInstanceOf(FailTaskOutcome.Failed.class);
  }

  void signal(Run run, String id, String type) {
    var command =
        new SignalRun(
            new SignalId(run.id(), id),
            type,
            Optional.empty(),
            Optional.of(new Payload.Json('"' + id + '"')),
            Actor.caller(""));
    assertThat(runs.signal(command).join()).isNotNull();
  }
}
