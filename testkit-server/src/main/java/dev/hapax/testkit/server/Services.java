package dev.hapax.testkit.server;

import dev.hapax.application.definition.Definitions;
import dev.hapax.application.entity.Entities;
import dev.hapax.application.entity.HeldClaims;
import dev.hapax.application.hook.Hooks;
import dev.hapax.application.hook.RunStarter;
import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.lifecycle.Lifecycles;
import dev.hapax.application.limit.Limits;
import dev.hapax.application.operation.Operations;
import dev.hapax.application.run.RunServices;
import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.domain.run.PartsGate;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.TurnsGate;
import dev.hapax.grpc.call.CellRoute;
import dev.hapax.grpc.call.GatedParts;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.grpc.definition.DefinitionGrpc;
import dev.hapax.grpc.definition.GatedRegistrations;
import dev.hapax.grpc.entity.EntityGrpc;
import dev.hapax.grpc.hook.HookGrpc;
import dev.hapax.grpc.janitor.JanitorGrpc;
import dev.hapax.grpc.lifecycle.LifecycleGrpc;
import dev.hapax.grpc.limit.LimitGrpc;
import dev.hapax.grpc.monitoring.ServerFacts;
import dev.hapax.grpc.monitoring.ServerInfoGrpc;
import dev.hapax.grpc.operation.OperationGrpc;
import dev.hapax.grpc.run.PermittedTasks;
import dev.hapax.grpc.run.RunGrpc;
import dev.hapax.grpc.run.WorkerGrpc;
import dev.hapax.grpc.trace.Tracing;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.definition.InMemoryDefinitionReads;
import dev.hapax.testkit.entity.InMemoryEntityReads;
import dev.hapax.testkit.hook.InMemoryHookReads;
import dev.hapax.testkit.janitor.InMemoryJanitorReads;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.lifecycle.InMemoryLifecycleReads;
import dev.hapax.testkit.limit.InMemoryLimitReads;
import dev.hapax.testkit.operation.InMemoryOperationReads;
import dev.hapax.testkit.run.InMemoryRunReads;
import io.grpc.BindableService;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Creates all services on one in-memory ledger. */
final class Services implements AutoCloseable {
  /**
   * No other server works beside this one, and no worker waits: its clock is not that of a test.
   */
  private static final GatedParts PARTS = new GatedParts(PartsGate.OPEN, Duration.ofSeconds(-1));

  private final InMemoryLedger ledger;
  private final SettableClock clock;
  private final ManualScheduler leases;
  private final LeaseTimer leaseTimer;
  private final StopTimer runTimer = new StopTimer();
  private final Operations operations;
  private final RunServices runs;
  private final Entities entities;
  private final Janitors janitors;
  private final List<BindableService> all;

  Services(SettableClock clock) {
    this.clock = clock;
    ledger = new InMemoryLedger(clock);
    leases = new ManualScheduler(clock);
    leaseTimer = new LeaseTimer(leases);
    var places = new WaiterQuota();
    operations =
        new Operations(ledger, new InMemoryOperationReads(ledger, clock), places, leaseTimer);
    // reproducible ids, as far as thread scheduling allows
    LongSupplier random = new Random(1)::nextLong;
    runs =
        new RunServices(
            ledger, new InMemoryRunReads(ledger, clock), places, clock, random, runTimer);
    var entityReads = new InMemoryEntityReads(ledger, clock);
    entities = new Entities(ledger, entityReads, runs.runs(), places, leaseTimer);
    var janitorReads = new InMemoryJanitorReads(ledger, clock);
    janitors =
        new Janitors(
            ledger, entityReads, janitorReads, runs.runs(), places, clock, random, leaseTimer);
    var lifecycles =
        new Lifecycles(
            ledger,
            new InMemoryLifecycleReads(ledger),
            janitorReads,
            entityReads,
            janitors,
            random);
    var definitions = new Definitions(ledger, new InMemoryDefinitionReads(ledger));
    var hooks = new Hooks(ledger, new InMemoryHookReads(ledger, clock), runs.runs());
    var limits = new Limits(ledger, new InMemoryLimitReads(ledger), runs.runs(), hooks);
    var identities =
        new KeyedIds("a key that only tests have, of 32 bytes".getBytes(StandardCharsets.UTF_8));
    var held = new HeldClaims(entities, operations, runs.runs());
    var starter = new RunStarter(definitions, runs.runs(), hooks);
    var values = new RandomValues(random);
    all =
        List.of(
            new OperationGrpc(operations, identities, values, CellRoute.ONE_CELL),
            new DefinitionGrpc(
                definitions, new GatedRegistrations(definitions, PartsGate.OPEN, TurnsGate.OPEN)),
            new RunGrpc(
                starter,
                runs.runs(),
                hooks,
                limits,
                PARTS,
                TurnsGate.OPEN,
                clock,
                values,
                Tracing.NONE,
                CellRoute.ONE_CELL),
            new LimitGrpc(limits),
            new HookGrpc(hooks, new PermittedTasks(runs.tasks()), values),
            new WorkerGrpc(runs.tasks(), PARTS, clock, values, CellRoute.ONE_CELL),
            new LifecycleGrpc(lifecycles),
            new EntityGrpc(entities, held, identities, values),
            new JanitorGrpc(janitors, lifecycles, identities),
            new ServerInfoGrpc(new ServerFacts("in memory", Set.of()), clock));
    runs.start();
  }

  List<BindableService> all() {
    return all;
  }

  Runs runs() {
    return runs.runs();
  }

  /** Returns all runs. */
  Stream<Run> stored() {
    return stored(Run.class);
  }

  private <T> Stream<T> stored(Class<T> kind) {
    return ledger.records().values().stream().filter(kind::isInstance).map(kind::cast);
  }

  /** Decides all due work. */
  void tick() {
    leases.runDue();
    runTimer.stop();
    sweep();
  }

  /**
   * Sweeps for hosted janitors whenever a lease has expired, because their timer does not follow
   * the test's clock.
   */
  private void sweep() {
    if (stored(Entity.class).anyMatch(entity -> isOver(entity, clock.instant()))) {
      janitors
          .all()
          .join()
          .forEach(
              status -> {
                var _ = janitors.sweep(status.id(), status.id().attribution()).join();
              });
    }
  }

  private static boolean isOver(Entity entity, Instant now) {
    return entity.due().filter(due -> !now.isBefore(due)).isPresent();
  }

  /** Returns when the next work other than that of runs is due, after deciding the due work. */
  Optional<Instant> nextDue() {
    leases.runDue();
    return Stream.concat(
            leases.nextDue().stream(),
            stored(Entity.class).flatMap(entity -> entity.due().stream()))
        .filter(clock.instant()::isBefore)
        .min(Instant::compareTo);
  }

  /** Ends every waiting call, also future ones. */
  void stopWaiting() {
    operations.stopWaiting();
    runs.tasks().stopWaiting();
    runs.runs().stopWaiting();
    entities.stopWaiting();
    janitors.stopWaiting();
  }

  @Override
  public void close() {
    runTimer.shutdownNow();
    leaseTimer.shutdownNow();
  }
}
