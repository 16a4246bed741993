package dev.hapax.application.entity;

import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.janitor.PollOutcome;
import dev.hapax.application.janitor.PollRecoveries;
import dev.hapax.application.lifecycle.Lifecycles;
import dev.hapax.application.run.RunServices;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.ActionFailureKind;
import dev.hapax.domain.entity.BeginAction;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.CompleteAction;
import dev.hapax.domain.entity.CompleteRecovery;
import dev.hapax.domain.entity.CreateEntity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.entity.FailAction;
import dev.hapax.domain.entity.RecoveryClaim;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.domain.entity.ReleaseClaim;
import dev.hapax.domain.entity.RenewAction;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.domain.lifecycle.LifecycleSet;
import dev.hapax.domain.lifecycle.Retirement;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.RunReads;
import dev.hapax.testkit.entity.InMemoryEntityReads;
import dev.hapax.testkit.janitor.InMemoryJanitorReads;
import dev.hapax.testkit.lifecycle.InMemoryLifecycleReads;
import dev.hapax.testkit.simulation.SeededRandom;
import dev.hapax.testkit.simulation.SimulatedActor;
import dev.hapax.testkit.simulation.SimulatedNode;
import dev.hapax.testkit.simulation.Simulation;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** One simulation run of claims: holders, a module, an operator and janitors on a few entities. */
final class ClaimSimulation {
  static final Duration EVERY = Duration.ofSeconds(2);
  private static final Duration STALE_AFTER = Duration.ofSeconds(3);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(8);
  private static final int ENTITIES = 3;
  private static final int KEPT = 8;
  private static final int HOLDERS = 3;
  private static final int ACTS = 200;

  private final Simulation<ClaimWitness> simulation;
  private final SeededRandom random;
  private final List<Server> servers;
  private int drawn;

  private record Server(
      SimulatedNode node,
      Entities entities,
      Janitors janitors,
      Lifecycles lifecycles,
      WaiterQuota places) {}

  ClaimSimulation(long seed) {
    simulation = new Simulation<>(seed, ClaimWitness::new);
    random = simulation.random();
    simulation.observer().readFrom(simulation.store()::records);
    servers = simulation.nodes().stream().map(this::server).toList();
  }

  private Server server(SimulatedNode node) {
    var places = new WaiterQuota();
    var entityReads =
        slow(
            node,
            EntityReads.class,
            new InMemoryEntityReads(simulation.store()::records, simulation::now));
    var janitorReads =
        slow(
            node,
            JanitorReads.class,
            new InMemoryJanitorReads(simulation.store()::records, simulation::now));
    var lifecycleReads =
        slow(node, LifecycleReads.class, new InMemoryLifecycleReads(simulation.store()::records));
    var runs =
        new RunServices(
                node,
                nothing(RunReads.class),
                places,
                simulation::now,
                random::number,
                node.timer())
            .runs();
    var janitors =
        new Janitors(
            node,
            entityReads,
            janitorReads,
            runs,
            places,
            simulation::now,
            random::number,
            node.timer());
    janitors.start();
    return new Server(
        node,
        new Entities(node, entityReads, runs, places, node.timer()),
        janitors,
        new Lifecycles(node, lifecycleReads, janitorReads, entityReads, janitors, random::number),
        places);
  }

  /** Reads take their time, and fail now and then. */
  private static <T> T slow(SimulatedNode node, Class<T> type, T reads) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) ->
                node.read(
                    () -> {
                      try {
                        return ((CompletableFuture<?>) method.invoke(reads, arguments)).join();
                      } catch (ReflectiveOperationException e) {
                        throw new LinkageError(e.getMessage(), e);
                      }
                    })));
  }

  private static <T> T nothing(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, _) -> {
              throw new AssertionError("not simulated: " + method);
            }));
  }

  /**
   * Runs to the end.
   *
   * @return how often each kind of outcome was decided
   */
  Map<String, Integer> run() {
    servers.forEach(this::found);
    var actors = new ArrayList<SimulatedActor>();
    for (var i = 0; i < HOLDERS; i++) {
      actors.add(new Holder("holder-" + i));
    }
    actors.add(new Module());
    actors.add(new Operator());
    simulation.run(actors, ACTS);
    simulation.observer().end();
    for (var server : servers) {
      if (server.places().size() > 0) {
        throw new AssertionError("a place was not freed\n" + trace());
      }
    }
    return simulation.observer().seen();
  }

  /** Creates the initial entities, unless a fault prevents it. */
  private void found(Server server) {
    var _ =
        server
            .lifecycles()
            .apply(
                new LifecycleSet(
                    Billing.WORKSPACE,
                    List.of(Billing.LIFECYCLE),
                    List.of(contract(JanitorMode.HOSTED))),
                Attribution.SERVER)
            .thenRun(
                () -> {
                  for (var i = 0; i < ENTITIES; i++) {
                    var _ =
                        server
                            .entities()
                            .create(
                                new CreateEntity(entity(i), "approved", "", Actor.SERVER),
                                Retirement.TIME);
                  }
                });
  }

  private static JanitorContract contract(JanitorMode mode) {
    return new JanitorContract(
        Billing.MODULE, Set.of("closing"), JanitorTiming.of(STALE_AFTER, EVERY), mode);
  }

  String trace() {
    return simulation.trace().text();
  }

  private Server anyServer() {
    return random.pick(servers);
  }

  private EntityId anyEntity() {
    return entity(random.below(ENTITIES));
  }

  private static EntityId entity(int number) {
    return new EntityId(Billing.WORKSPACE, Billing.NAME, "invoice-" + number);
  }

  private <T> void keep(List<T> kept, T one) {
    kept.add(one);
    if (kept.size() > KEPT) {
      kept.removeFirst();
    }
  }

  /** A simulated holder that begins and ends actions, repeats calls, and often crashes. */
  private final class Holder implements SimulatedActor {
    private final String name;
    private final List<ActionClaim> claims = new ArrayList<>();
    private final List<BeginAction> begun = new ArrayList<>();

    Holder(String name) {
      this.name = name;
    }

    @Override
    public void act() {
      var server = anyServer();
      switch (claims.isEmpty() ? random.below(4) : random.below(9)) {
        case 0 -> create(server);
        case 1, 2 -> begin(server, draw());
        case 3 -> begin(server, begun.isEmpty() ? draw() : random.pick(begun));
        case 4, 5 -> complete(server, random.pick(claims));
        case 6 -> fail(server, random.pick(claims));
        default -> renew(server, random.pick(claims));
      }
    }

    private void create(Server server) {
      var command =
          new CreateEntity(anyEntity(), random.pick("draft", "approved"), "", Actor.caller(name));
      simulation
          .network()
          .call(server.node(), () -> server.entities().create(command, Retirement.TIME), _ -> {});
    }

    private BeginAction draw() {
      return new BeginAction(
          anyEntity(),
          random.pick("close", "close", "close", "approve", "reopen", "cancel"),
          "admin",
          AttemptId.of(name + "-" + drawn++),
          Optional.empty(),
          OptionalLong.empty(),
          random.number(),
          "",
          Actor.caller(name));
    }

    private void begin(Server server, BeginAction command) {
      keep(begun, command);
      var wait = random.chance(0.5) ? Duration.ZERO : random.upTo(LONGEST_WAIT);
      simulation
          .network()
          .call(
              server.node(),
              () -> server.entities().begin(command, wait, Retirement.TIME),
              outcome -> {
                if (outcome instanceof BeginActionOutcome.Granted granted) {
                  keep(claims, granted.claim());
                }
              });
    }

    private void complete(Server server, ActionClaim claim) {
      var command =
          new CompleteAction(
              claim,
              Optional.empty(),
              server.entities().draw(Billing.WORKSPACE),
              Actor.caller(name));
      simulation
          .network()
          .call(
              server.node(),
              () -> server.entities().complete(command, Retirement.TIME),
              outcome -> simulation.observer().responded(claim, outcome));
    }

    private void fail(Server server, ActionClaim claim) {
      var command = new FailAction(claim, ActionFailureKind.FAILURE, "no", Actor.caller(name));
      simulation
          .network()
          .call(
              server.node(),
              () -> server.entities().fail(command),
              outcome -> simulation.observer().responded(claim, outcome));
    }

    private void renew(Server server, ActionClaim claim) {
      var command = new RenewAction(claim, Billing.STALE_AFTER);
      simulation.network().call(server.node(), () -> server.entities().renew(command), _ -> {});
    }
  }

  /** A simulated module that polls for recoveries when its janitor is remote. */
  private final class Module implements SimulatedActor {
    private final List<RecoveryClaim> claims = new ArrayList<>();

    @Override
    public void act() {
      var server = anyServer();
      if (claims.isEmpty() || random.chance(0.5)) {
        poll(server);
      } else {
        var command =
            new CompleteRecovery(
                random.pick(claims),
                random.pick(RecoveryVerdict.COMPLETE, RecoveryVerdict.REVERT),
                "",
                server.janitors().draw(Billing.WORKSPACE),
                Actor.caller("module"));
        simulation
            .network()
            .call(server.node(), () -> server.janitors().complete(command), _ -> {});
      }
    }

    private void poll(Server server) {
      var attempt = ("poll-" + (random.chance(0.3) ? drawn : drawn++));
      var request =
          new PollRecoveries(
              Billing.JANITOR,
              "module",
              Optional.of(UUID.nameUUIDFromBytes(attempt.getBytes(StandardCharsets.UTF_8))),
              STALE_AFTER,
              1 + random.below(2),
              PrincipalName.NONE);
      var wait = random.chance(0.3) ? Duration.ZERO : random.upTo(LONGEST_WAIT);
      simulation
          .network()
          .call(
              server.node(),
              () -> server.janitors().poll(request, wait),
              outcome -> {
                if (outcome instanceof PollOutcome.Recoveries(var claimed)) {
                  claimed.forEach(one -> keep(claims, one.claim()));
                }
              });
    }
  }

  /**
   * A simulated operator that declares janitors, changes lifecycles, releases claims and sweeps.
   */
  private final class Operator implements SimulatedActor {
    @Override
    public void act() {
      var server = anyServer();
      switch (random.below(6)) {
        case 0, 1 -> declare(server);
        case 2, 3 -> apply(server);
        case 4 -> release(server);
        default ->
            simulation
                .network()
                .call(
                    server.node(),
                    () -> server.janitors().sweep(Billing.JANITOR, Billing.JANITOR.attribution()),
                    _ -> {});
      }
    }

    private void declare(Server server) {
      var mode = random.pick(JanitorMode.HOSTED, JanitorMode.HOSTED, JanitorMode.REMOTE);
      apply(server, LifecycleSet.of(Billing.WORKSPACE, contract(mode)));
    }

    private void apply(Server server) {
      var lifecycle = random.chance(0.5) ? Billing.LIFECYCLE : Billing.withoutVoid();
      apply(
          server,
          random.chance(0.5)
              ? LifecycleSet.of(Billing.WORKSPACE, lifecycle)
              : new LifecycleSet(
                  Billing.WORKSPACE, List.of(lifecycle), List.of(contract(JanitorMode.HOSTED))));
    }

    private void apply(Server server, LifecycleSet set) {
      simulation
          .network()
          .call(server.node(), () -> server.lifecycles().apply(set, Attribution.SERVER), _ -> {});
    }

    private void release(Server server) {
      var command =
          new ReleaseClaim(
              anyEntity(),
              "request-" + random.below(5),
              "it hangs",
              OptionalLong.empty(),
              random.chance(0.5) ? RecoveryVerdict.COMPLETE : RecoveryVerdict.REVERT,
              server.entities().draw(Billing.WORKSPACE),
              Actor.caller("operator"));
      simulation.network().call(server.node(), () -> server.entities().release(command), _ -> {});
    }
  }
}
