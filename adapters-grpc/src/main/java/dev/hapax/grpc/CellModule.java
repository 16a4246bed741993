package dev.hapax.grpc;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.ProvidesIntoSet;
import dev.hapax.application.definition.Definitions;
import dev.hapax.application.entity.Entities;
import dev.hapax.application.entity.HeldClaims;
import dev.hapax.application.hook.Hooks;
import dev.hapax.application.hook.RunStarter;
import dev.hapax.application.intent.Intents;
import dev.hapax.application.intent.StartFingerprints;
import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.lifecycle.Lifecycles;
import dev.hapax.application.limit.Limits;
import dev.hapax.application.monitoring.Monitoring;
import dev.hapax.application.monitoring.StuckWorkspaces;
import dev.hapax.application.operation.Operations;
import dev.hapax.application.run.Runs;
import dev.hapax.application.run.Tasks;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.domain.run.PartsGate;
import dev.hapax.domain.run.TurnsGate;
import dev.hapax.grpc.call.CellRoute;
import dev.hapax.grpc.call.GatedParts;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.grpc.cell.CellServices;
import dev.hapax.grpc.definition.DefinitionGrpc;
import dev.hapax.grpc.definition.GatedRegistrations;
import dev.hapax.grpc.entity.EntityGrpc;
import dev.hapax.grpc.hook.HookGrpc;
import dev.hapax.grpc.intent.IntentFingerprints;
import dev.hapax.grpc.intent.IntentGrpc;
import dev.hapax.grpc.janitor.JanitorGrpc;
import dev.hapax.grpc.lifecycle.LifecycleGrpc;
import dev.hapax.grpc.limit.LimitGrpc;
import dev.hapax.grpc.monitoring.MonitoringGrpc;
import dev.hapax.grpc.monitoring.ServerFacts;
import dev.hapax.grpc.operation.OperationGrpc;
import dev.hapax.grpc.run.PermittedTasks;
import dev.hapax.grpc.run.RunGrpc;
import dev.hapax.grpc.run.WorkerGrpc;
import dev.hapax.grpc.security.IdentityGrpc;
import dev.hapax.grpc.trace.Tracing;
import io.grpc.BindableService;
import io.opentelemetry.api.GlobalOpenTelemetry;
import java.time.InstantSource;
import java.util.Set;
import java.util.function.LongSupplier;

/** Guice module of the services of one cell: every service joins a set. */
public final class CellModule extends AbstractModule {
  private final ServerFacts facts;
  private final CellRoute cells;

  /**
   * Makes the module.
   *
   * @param facts the answer of GetServerInfo
   * @param cells finds the cells of calls that carry several workspaces
   */
  public CellModule(ServerFacts facts, CellRoute cells) {
    this.facts = facts;
    this.cells = cells;
  }

  @Provides
  @Singleton
  RandomValues randomValues(LongSupplier random) {
    return new RandomValues(random);
  }

  /** An agent in the process, or the application around it, brings the SDK. */
  @Provides
  @Singleton
  Tracing tracing() {
    return new Tracing(GlobalOpenTelemetry.getOrNoop());
  }

  @ProvidesIntoSet
  @Singleton
  BindableService operations(Operations operations, KeyedIds keyedIds, RandomValues random) {
    return new OperationGrpc(operations, keyedIds, random, cells);
  }

  @ProvidesIntoSet
  @Singleton
  BindableService definitions(Definitions definitions, GatedRegistrations registrations) {
    return new DefinitionGrpc(definitions, registrations);
  }

  @Provides
  @Singleton
  GatedRegistrations registrations(Definitions definitions, PartsGate parts, TurnsGate turns) {
    return new GatedRegistrations(definitions, parts, turns);
  }

  @ProvidesIntoSet
  @Singleton
  BindableService runs(
      Definitions definitions,
      Runs runs,
      Hooks hooks,
      Limits limits,
      PartsGate parts,
      TurnsGate turns,
      InstantSource clock,
      RandomValues random,
      Tracing tracing) {
    var starter = new RunStarter(definitions, runs, hooks);
    return new RunGrpc(
        starter, runs, hooks, limits, new GatedParts(parts), turns, clock, random, tracing, cells);
  }

  @ProvidesIntoSet
  @Singleton
  BindableService limits(Limits limits) {
    return new LimitGrpc(limits);
  }

  @ProvidesIntoSet
  @Singleton
  BindableService hooks(Hooks hooks, Tasks tasks, RandomValues random) {
    return new HookGrpc(hooks, new PermittedTasks(tasks), random);
  }

  @Provides
  @Singleton
  StartFingerprints startFingerprints() {
    return new IntentFingerprints();
  }

  @ProvidesIntoSet
  @Singleton
  BindableService intents(Intents intents) {
    return new IntentGrpc(intents);
  }

  @ProvidesIntoSet
  @Singleton
  BindableService workers(Tasks tasks, PartsGate parts, InstantSource clock, RandomValues random) {
    return new WorkerGrpc(tasks, new GatedParts(parts), clock, random, cells);
  }

  @ProvidesIntoSet
  @Singleton
  BindableService monitoring(Monitoring monitoring, StuckWorkspaces stuck, InstantSource clock) {
    return new MonitoringGrpc(monitoring, stuck, clock, facts, cells);
  }

  @ProvidesIntoSet
  @Singleton
  BindableService lifecycles(Lifecycles lifecycles) {
    return new LifecycleGrpc(lifecycles);
  }

  @ProvidesIntoSet
  @Singleton
  BindableService entities(
      Entities entities, Operations operations, Runs runs, KeyedIds keyedIds, RandomValues random) {
    var held = new HeldClaims(entities, operations, runs);
    return new EntityGrpc(entities, held, keyedIds, random);
  }

  @ProvidesIntoSet
  @Singleton
  BindableService identity() {
    return new IdentityGrpc();
  }

  @ProvidesIntoSet
  @Singleton
  BindableService janitors(Janitors janitors, Lifecycles lifecycles, KeyedIds keyedIds) {
    return new JanitorGrpc(janitors, lifecycles, keyedIds);
  }

  @Provides
  @Singleton
  CellServices services(Set<BindableService> services, Ledger ledger) {
    return new CellServices(services, ledger);
  }
}
