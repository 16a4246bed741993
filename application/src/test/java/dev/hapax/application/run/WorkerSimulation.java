package dev.hapax.application.run;

import dev.hapax.application.waiting.WaiterQuota;
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
import dev.hapax.domain.run.HeartbeatOutcome;
import dev.hapax.domain.run.HeartbeatTask;
import dev.hapax.domain.run.ReleaseTask;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
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

/** One simulation run of workers on a few runs, whose calls are cut during the response. */
final class WorkerSimulation {
  static final Duration LEASE = Duration.ofSeconds(20);
  private static final Workspace WORKSPACE = new Workspace("factory");
  private static final List<String> QUEUES = List.of("work", "ship");
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
  private static final Duration HAND = Duration.ofSeconds(1);
  private static final int KEPT = 4;
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
    simulation.run(actors, ACTS);
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
    if (random.chance(0.5)) {
      return;
    }
    var server = random.pick(servers);
    var definition =
        new Definition(
            new DefinitionId(WORKSPACE, "order", "1"),
            IntStream.range(0, STEPS).mapToObj(WorkerSimulation::step).toList(),
            simulation.now());
    simulation
        .network()
        .call(
            server.node(),
            () -> server.runs().start(start(server.runs().draw(), definition)),
            _ -> {});
  }

  /** Two of one queue follow each other, then two of the other. */
  private static StepDefinition step(int index) {
    var retry = new RetryPolicy(20, Duration.ofMillis(1), 1, Duration.ofSeconds(1), Set.of());
    var queue = QUEUES.get(index / 2 % QUEUES.size());
    return new StepDefinition(
        "step-" + index, new StepDefinition.Task(new StepDefinition.Work(queue, LEASE, retry)));
  }

  private static StartRun start(UUID run, Definition definition) {
    return new StartRun(
        new RunId(WORKSPACE, run),
        definition,
        new Payload.Json("{}"),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
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
      switch (claims.isEmpty() ? random.below(4) : random.below(11)) {
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
      simulation
          .network()
          .call(
              server.node(),
              () -> server.tasks().heartbeat(new HeartbeatTask(claim, Optional.empty())),
              outcome -> {
                switch (outcome) {
                  case HeartbeatOutcome.Renewed(_, var remaining) ->
                      renewed(claim, sentAt, remaining);
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
