package dev.hapax.application.run;

import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.Failure;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.CompleteTaskOutcome;
import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.FailTask;
import dev.hapax.domain.run.HeartbeatOutcome;
import dev.hapax.domain.run.HeartbeatTask;
import dev.hapax.domain.run.OnKeyMismatch;
import dev.hapax.domain.run.Part;
import dev.hapax.domain.run.PartId;
import dev.hapax.domain.run.PartReport;
import dev.hapax.domain.run.PartResult;
import dev.hapax.domain.run.PartTraits;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.RecordParts;
import dev.hapax.domain.run.RecordPartsOutcome;
import dev.hapax.domain.run.ReleaseTask;
import dev.hapax.domain.run.ReportedParts;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange.Verdict;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.RunTimeouts;
import dev.hapax.domain.run.SettleStep;
import dev.hapax.domain.run.StartRun;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TaskLost;
import dev.hapax.testkit.run.InMemoryRunReads;
import dev.hapax.testkit.simulation.SeededRandom;
import dev.hapax.testkit.simulation.SimulatedActor;
import dev.hapax.testkit.simulation.SimulatedNode;
import dev.hapax.testkit.simulation.Simulation;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** One simulation run of workers on a few runs, whose calls are cut during the response. */
final class WorkerSimulation {
  static final Duration LEASE = Duration.ofSeconds(20);
  private static final Duration ATTEMPT = Duration.ofSeconds(30);
  private static final Workspace WORKSPACE = new Workspace("factory");
  private static final List<String> QUEUES = List.of("work", "ship");
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
  private static final Duration HAND = Duration.ofSeconds(1);
  private static final int KEPT = 4;

  /** A part that runs at most once. */
  static final String PAY = "pay";

  /** A part that is retried. */
  private static final String MODEL = "llm";

  private static final Payload OUTPUT = new Payload.Json("7");
  private static final int WORKERS = 3;
  private static final int STEPS = 4;
  private static final int ACTS = 240;

  private final Simulation<WorkerWitness> simulation;
  private final WorkerWitness witness;
  private final SeededRandom random;
  private final List<Server> servers;

  private record Server(SimulatedNode node, Runs runs, Tasks tasks, WaiterQuota places) {}

  WorkerSimulation(long seed) {
    simulation = new Simulation<>(seed, WorkerWitness::new);
    witness = simulation.observer();
    random = simulation.random();
    servers = simulation.nodes().stream().map(this::server).toList();
  }

  private Server server(SimulatedNode node) {
    var places = new WaiterQuota();
    var reads = slow(node, new InMemoryRunReads(simulation.store()::records, simulation::now));
    var services =
        new RunServices(node, reads, places, simulation::now, random::number, node.timer());
    services.start();
    return new Server(node, services.runs(), services.tasks(), places);
  }

  /** Reads take their time, and fail now and then. */
  private static RunReads slow(SimulatedNode node, RunReads reads) {
    return (RunReads)
        Proxy.newProxyInstance(
            RunReads.class.getClassLoader(),
            new Class<?>[] {RunReads.class},
            (_, method, arguments) ->
                node.read(
                    () -> {
                      try {
                        return ((CompletableFuture<?>) method.invoke(reads, arguments)).join();
                      } catch (ReflectiveOperationException e) {
                        throw new LinkageError(e.getMessage(), e);
                      }
                    }));
  }

  /**
   * Runs to the end.
   *
   * @return how often each kind of outcome was decided
   */
  Map<String, Integer> run() {
    var actors = new ArrayList<SimulatedActor>();
    IntStream.range(0, WORKERS).mapToObj(i -> new Worker("worker-" + i)).forEach(actors::add);
    actors.add(this::startOne);
    actors.add(this::settleOne);
    simulation.run(actors, ACTS);
    witness.checkParts(simulation.store().records());
    witness.checkKeys(simulation.store().records());
    for (var server : servers) {
      if (server.places().size() > 0) {
        throw new AssertionError("a place was not freed\n" + trace());
      }
    }
    return witness.seen();
  }

  String trace() {
    return simulation.trace().text();
  }

  private void startOne() {
    if (random.chance(0.8)) {
      return;
    }
    var server = random.pick(servers);
    var definition =
        new Definition(
            new DefinitionId(WORKSPACE, "order", "1"),
            IntStream.range(0, STEPS).mapToObj(WorkerSimulation::step).toList(),
            simulation.now());
    var key = random.chance(0.5) ? key() : Optional.<StartRun.Key>empty();
    var timeouts =
        random.chance(0.2)
            ? new RunTimeouts(Optional.of(LEASE), Optional.empty())
            : RunTimeouts.NONE;
    simulation
        .network()
        .call(
            server.node(),
            () -> server.runs().start(start(server.runs().draw(), definition, key, timeouts)),
            _ -> {});
  }

  /** Callers correct the requests of each other. */
  private Optional<StartRun.Key> key() {
    return Optional.of(
        new StartRun.Key(
            RunKeyId.of(WORKSPACE, "key " + random.below(2)),
            Fingerprint.of(new byte[] {(byte) random.below(3)}),
            StartRun.Key.DEFAULT_RETENTION,
            OnKeyMismatch.RESTART_FAILED));
  }

  /**
   * An operator settles a failed run: what happened is asked of the bank. The version keeps a late
   * call from settling what another worker began meanwhile.
   */
  private void settleOne() {
    var failed =
        simulation.store().records().values().stream()
            .filter(Run.class::isInstance)
            .map(Run.class::cast)
            .filter(run -> run.phase() instanceof Phase.Failed)
            .sorted(Comparator.comparing(Run::id, Comparator.comparing(RunId::uuid)))
            .toList();
    if (failed.isEmpty()) {
      return;
    }
    var run = random.pick(failed);
    var server = random.pick(servers);
    simulation
        .network()
        .call(
            server.node(),
            () -> server.runs().submit(settlement(run), WorkerSimulation::changed),
            _ -> {});
  }

  private SettleStep settlement(Run run) {
    var paid = witness.isPaid(run.id(), run.position().step());
    return new SettleStep(
        run.id(),
        run.step().orElseThrow().name(),
        Optional.of(PAY),
        paid ? new Verdict.Complete(Optional.of(OUTPUT), Optional.empty()) : new Verdict.Repeat(),
        "request " + random.number(),
        "asked the bank",
        OptionalLong.of(run.version()),
        Actor.caller("operator"));
  }

  private static Stream<Run> changed(ControlOutcome outcome) {
    return outcome instanceof ControlOutcome.Applied(var run, _) ? Stream.of(run) : Stream.empty();
  }

  /** Two of one queue follow each other, then two of the other; the first ones are code. */
  private static StepDefinition step(int index) {
    var retry = new RetryPolicy(20, Duration.ofMillis(1), 1, Duration.ofSeconds(1), Set.of());
    var queue = QUEUES.get(index / 2 % QUEUES.size());
    var timeout = index % 3 == 0 ? Optional.of(ATTEMPT) : Optional.<Duration>empty();
    var work = new StepDefinition.Work(queue, LEASE, retry, timeout);
    return new StepDefinition(
        "step-" + index,
        isCode(index) ? new StepDefinition.Code(work, retry) : new StepDefinition.Task(work));
  }

  private static boolean isCode(int step) {
    return step % 2 == 0;
  }

  private static StartRun start(
      UUID run, Definition definition, Optional<StartRun.Key> key, RunTimeouts timeouts) {
    var labels = key.map(bound -> Map.of("key", bound.id().hash().toString())).orElse(Map.of());
    return new StartRun(
        new RunId(WORKSPACE, run),
        definition,
        false,
        new RunParameters(new Payload.Json("{}"), labels, Optional.empty(), timeouts),
        Optional.empty(),
        key,
        Optional.empty(),
        Actor.caller("test"));
  }

  /**
   * Delivers a response like the adapter: if the connection is cut before it is sent, the task is
   * returned.
   */
  private <T> CompletableFuture<T> handed(
      SimulatedNode node,
      boolean isCut,
      Supplier<CompletableFuture<T>> call,
      Consumer<T> giveBack) {
    var granted = call.get();
    var sent = new CompletableFuture<T>();
    var _ = sent.whenComplete((_, _) -> granted.cancel(false));
    if (isCut) {
      later(node, () -> sent.cancel(false));
    }
    var _ =
        granted.whenComplete(
            (answer, failure) -> {
              if (failure != null) {
                sent.completeExceptionally(failure);
              } else {
                later(
                    node,
                    () -> {
                      if (!sent.complete(answer)) {
                        giveBack.accept(answer);
                      }
                    });
              }
            });
    return sent;
  }

  private void later(SimulatedNode node, Runnable task) {
    var _ = node.timer().schedule(task, random.upTo(HAND).toNanos(), TimeUnit.NANOSECONDS);
  }

  /** A simulated worker that polls, retries polls, completes, and takes the next task. */
  private final class Worker implements SimulatedActor {
    private final String name;
    private final List<UUID> polls = new ArrayList<>();
    private final List<TaskClaim> claims = new ArrayList<>();
    private final List<TaskClaim> completed = new ArrayList<>();

    /** The grants under which the body of a payment ran, which runs at most once. */
    private final Set<TaskClaim> paying = new HashSet<>();

    /** How often each task has sent the beginning of its payment. */
    private final Map<TaskClaim, Integer> begins = new HashMap<>();

    Worker(String name) {
      this.name = name;
    }

    private <T> void keep(List<T> kept, T one) {
      kept.add(one);
      if (kept.size() > KEPT) {
        kept.removeFirst();
      }
    }

    @Override
    public void act() {
      switch (claims.isEmpty() ? random.below(4) : random.below(18)) {
        case 0, 1 -> {
          keep(polls, new UUID(random.number(), random.number()));
          send(cut -> poll(polls.getLast(), cut));
        }
        case 2 -> {
          if (!polls.isEmpty()) {
            poll(polls.getLast(), false);
          }
        }
        case 3 -> {
          if (!completed.isEmpty()) {
            complete(random.pick(completed), false);
          }
        }
        case 4, 5, 6 -> {
          keep(completed, random.pick(claims));
          send(cut -> complete(completed.getLast(), cut));
        }
        case 7 -> release(random.pick(claims));
        case 8, 9, 10, 11, 12, 13 -> {
          var claim = random.pick(claims);
          if (isCode(claim.step())) {
            execute(claim);
          }
        }
        default -> heartbeat(random.pick(claims));
      }
    }

    /** Retries a call at once if its connection is cut. */
    private void send(Consumer<Boolean> call) {
      if (random.chance(0.4)) {
        call.accept(true);
      }
      call.accept(false);
    }

    private void poll(UUID attempt, boolean isCut) {
      var server = random.pick(servers);
      var request =
          new PollRequest(
              WORKSPACE,
              QUEUES,
              name,
              Optional.of(attempt),
              1 + random.below(3),
              PrincipalName.NONE);
      var wait = random.chance(0.3) ? Duration.ZERO : random.upTo(LONGEST_WAIT);
      var sentAt = simulation.now();
      simulation
          .network()
          .call(
              server.node(),
              () ->
                  handed(
                      server.node(),
                      isCut,
                      () -> server.tasks().poll(request, wait),
                      tasks -> tasks.forEach(server.tasks()::returnUndelivered)),
              tasks -> tasks.forEach(task -> told(task, sentAt)));
    }

    /** The lease counts from when the request was sent. */
    private void told(Task task, Instant sentAt) {
      var claim = task.run().claim().orElseThrow();
      var lease = task.leaseRemaining().compareTo(LEASE) > 0 ? LEASE : task.leaseRemaining();
      simulation.trace().add(claim.run(), name, () -> "receives " + claim);
      witness.told(claim, sentAt.plus(lease));
      if (!claims.contains(claim)) {
        keep(claims, claim);
      }
    }

    private void complete(TaskClaim claim, boolean isCut) {
      witness.ended(claim);
      var server = random.pick(servers);
      var sentAt = simulation.now();
      simulation
          .network()
          .call(
              server.node(),
              () ->
                  handed(
                      server.node(),
                      isCut,
                      () -> server.tasks().complete(completion(claim)),
                      answer -> answer.next().ifPresent(server.tasks()::returnUndelivered)),
              answer -> {
                answer.next().ifPresent(task -> told(task, sentAt));
                if (answer.outcome() instanceof CompleteTaskOutcome.Completed) {
                  claims.remove(claim);
                }
              });
    }

    private CompleteTask completion(TaskClaim claim) {
      return new CompleteTask(
          claim,
          Optional.empty(),
          Optional.empty(),
          List.of(),
          false,
          OptionalLong.of(random.number()),
          PrincipalName.NONE);
    }

    /** Executes one of the parts of the code, as client libraries do. */
    private void execute(TaskClaim claim) {
      if (random.chance(0.5)) {
        var attempt = attempts(claim, MODEL) + 1;
        report(
            claim,
            MODEL,
            random.chance(0.5) ? failing(attempt) : new PartReport.Output(OUTPUT, List.of()),
            _ -> {});
      } else if (!paying.contains(claim)) {
        // a client waits for the answer to its last request, not for those that it has given up
        var begin = begins.merge(claim, 1, Integer::sum);
        report(
            claim,
            PAY,
            new PartReport.Beginning(),
            result -> {
              if (begin.equals(begins.get(claim))) {
                pay(claim, result);
              }
            });
      }
    }

    private static PartReport.Failing failing(int attempt) {
      var failure = new Failure("FLAKY", "", Optional.empty());
      return new PartReport.Failing(attempt, failure, false, Optional.empty(), Optional.empty());
    }

    private int attempts(TaskClaim claim, String part) {
      var id = new PartId(claim.run(), claim.step(), part);
      return simulation.store().records().get(id) instanceof Part.Open open ? open.attempts() : 0;
    }

    private void report(
        TaskClaim claim, String part, PartReport.Result result, Consumer<PartResult> then) {
      var server = random.pick(servers);
      var report = new PartReport(part, result, Optional.empty(), PartTraits.NONE);
      var command =
          new RecordParts(
              claim, new ReportedParts(List.of(report), Optional.empty(), 0.5), PrincipalName.NONE);
      simulation
          .network()
          .call(
              server.node(),
              () -> server.tasks().record(command),
              outcome -> {
                if (outcome instanceof RecordPartsOutcome.Stored(var results)) {
                  then.accept(results.getFirst());
                }
              });
    }

    /** The body of a payment: the worker may die before or after its effect. */
    private void pay(TaskClaim claim, PartResult begun) {
      switch (begun) {
        case PartResult.Begun(_, var inDoubt) when inDoubt -> fail(claim, FailTask.UNKNOWN_EFFECT);
        case PartResult.Begun _ -> {
          if (witness.believes(claim) && paying.add(claim)) {
            body(claim);
          }
        }
        case PartResult.Failed(_, _, var next) -> {
          if (next.isEmpty()) {
            fail(claim, "DECLINED");
          }
        }
        case PartResult.Recorded _ -> {}
      }
    }

    private void body(TaskClaim claim) {
      switch (random.below(6)) {
        case 0 -> dies(claim);
        case 1, 2 -> {
          witness.paid(claim);
          dies(claim);
        }
        case 3 ->
            report(
                claim,
                PAY,
                failing(attempts(claim, PAY)),
                result -> {
                  if (result instanceof PartResult.Failed) {
                    paying.remove(claim);
                  }
                });
        default -> {
          witness.paid(claim);
          report(claim, PAY, new PartReport.Output(OUTPUT, List.of()), _ -> {});
        }
      }
    }

    /** The worker is killed, or it is stopped in the body and releases the task. */
    private void dies(TaskClaim claim) {
      simulation.trace().add(claim.run(), name, () -> "dies with " + claim);
      if (random.chance(0.7)) {
        release(claim);
        return;
      }
      witness.ended(claim);
      claims.remove(claim);
    }

    private void fail(TaskClaim claim, String code) {
      witness.ended(claim);
      claims.remove(claim);
      var server = random.pick(servers);
      var failure = new Failure(code, "", Optional.empty(), PAY, "");
      var command = new FailTask(claim, failure, true, Optional.empty(), 0.5, PrincipalName.NONE);
      simulation.network().call(server.node(), () -> server.tasks().fail(command), _ -> {});
    }

    private void release(TaskClaim claim) {
      witness.ended(claim);
      var server = random.pick(servers);
      var command =
          new ReleaseTask(
              claim, random.pick(Duration.ZERO, Duration.ofSeconds(1)), PrincipalName.NONE);
      simulation.network().call(server.node(), () -> server.tasks().release(command), _ -> {});
      claims.remove(claim);
    }

    private void heartbeat(TaskClaim claim) {
      var server = random.pick(servers);
      var sentAt = simulation.now();
      var details = random.chance(0.3) ? Optional.of(OUTPUT) : Optional.<Payload>empty();
      simulation
          .network()
          .call(
              server.node(),
              () -> server.tasks().heartbeat(new HeartbeatTask(claim, Optional.empty(), details)),
              outcome -> {
                switch (outcome) {
                  case HeartbeatOutcome.Renewed(_, var remaining, _) -> {
                    renewed(claim, sentAt, remaining);
                    details.ifPresent(_ -> witness.reported(claim));
                  }
                  case TaskLost _ -> witness.lost(claim);
                }
              });
    }

    private void renewed(TaskClaim claim, Instant sentAt, Duration remaining) {
      if (witness.believes(claim)) {
        witness.told(claim, sentAt.plus(remaining));
      }
    }
  }
}
