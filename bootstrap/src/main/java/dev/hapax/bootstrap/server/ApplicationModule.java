package dev.hapax.bootstrap.server;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import dev.hapax.application.definition.Definitions;
import dev.hapax.application.entity.Entities;
import dev.hapax.application.hook.Hooks;
import dev.hapax.application.intent.Intents;
import dev.hapax.application.intent.StartFingerprints;
import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.lifecycle.Lifecycles;
import dev.hapax.application.limit.Limits;
import dev.hapax.application.monitoring.Monitoring;
import dev.hapax.application.monitoring.StuckWorkspaces;
import dev.hapax.application.operation.OperationSweep;
import dev.hapax.application.operation.Operations;
import dev.hapax.application.run.RunServices;
import dev.hapax.application.run.Runs;
import dev.hapax.application.run.Tasks;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.definition.DefinitionReads;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.domain.limit.LimitReads;
import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.monitoring.DatabaseReads;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.domain.run.RunReads;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

/** Binds the application services. */
final class ApplicationModule extends AbstractModule {
  private final ScheduledExecutorService timer;
  private final WaiterQuota quota;

  /**
   * Makes the module of one cell.
   *
   * @param quota shared by the services of all cells, since the limit of waiting calls is one for
   *     each workspace
   */
  ApplicationModule(ScheduledExecutorService timer, WaiterQuota quota) {
    this.timer = timer;
    this.quota = quota;
  }

  private static long random() {
    return ThreadLocalRandom.current().nextLong();
  }

  /** The one source of nonces, ids and jitter. */
  @Provides
  @Singleton
  LongSupplier randomSource() {
    return ApplicationModule::random;
  }

  @Provides
  @Singleton
  InstantSource clock() {
    return InstantSource.system();
  }

  @Provides
  WaiterQuota waiterQuota() {
    return quota;
  }

  @Provides
  @Singleton
  Operations operations(Ledger ledger, OperationReads reads, WaiterQuota quota) {
    return new Operations(ledger, reads, quota, timer);
  }

  @Provides
  @Singleton
  OperationSweep operationSweep(OperationReads reads, Ledger ledger) {
    return new OperationSweep(reads, ledger);
  }

  @Provides
  @Singleton
  Definitions definitions(Ledger ledger, DefinitionReads reads) {
    return new Definitions(ledger, reads);
  }

  @Provides
  @Singleton
  RunServices runServices(Ledger ledger, RunReads reads, WaiterQuota quota, InstantSource clock) {
    return new RunServices(ledger, reads, quota, clock, ApplicationModule::random, timer);
  }

  @Provides
  Runs runs(RunServices services) {
    return services.runs();
  }

  @Provides
  @Singleton
  Hooks hooks(Ledger ledger, HookReads reads, Runs runs) {
    return new Hooks(ledger, reads, runs);
  }

  @Provides
  @Singleton
  Limits limits(Ledger ledger, LimitReads reads, Runs runs, Hooks hooks) {
    return new Limits(ledger, reads, runs, hooks);
  }

  @Provides
  @Singleton
  Intents intents(
      Ledger ledger,
      IntentReads reads,
      Definitions definitions,
      Runs runs,
      Hooks hooks,
      StartFingerprints fingerprints,
      WaiterQuota quota,
      InstantSource clock) {
    return new Intents(ledger, reads, definitions, runs, hooks, fingerprints, quota, clock, timer);
  }

  @Provides
  Tasks tasks(RunServices services) {
    return services.tasks();
  }

  @Provides
  @Singleton
  Monitoring monitoring(
      DatabaseReads database, BacklogReads backlog, DefinitionReads definitions, Tasks tasks) {
    return new Monitoring(database, backlog, definitions, tasks);
  }

  @Provides
  @Singleton
  StuckWorkspaces stuckWorkspaces(BacklogReads backlog, Tasks tasks, Janitors janitors) {
    return new StuckWorkspaces(backlog, tasks, janitors::watched);
  }

  @Provides
  @Singleton
  Lifecycles lifecycles(
      Ledger ledger,
      LifecycleReads reads,
      JanitorReads contracts,
      EntityReads entities,
      Janitors janitors) {
    return new Lifecycles(ledger, reads, contracts, entities, janitors, ApplicationModule::random);
  }

  @Provides
  @Singleton
  Entities entities(Ledger ledger, EntityReads reads, Runs runs, WaiterQuota quota) {
    return new Entities(ledger, reads, runs, quota, timer);
  }

  @Provides
  @Singleton
  Janitors janitors(
      Ledger ledger,
      EntityReads entities,
      JanitorReads reads,
      Runs runs,
      WaiterQuota quota,
      InstantSource clock) {
    return new Janitors(
        ledger, entities, reads, runs, quota, clock, ApplicationModule::random, timer);
  }
}
