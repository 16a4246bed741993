package dev.hapax.testkit.server;

import dev.hapax.application.definition.Definitions;
import dev.hapax.application.hook.Hooks;
import dev.hapax.application.operation.Operations;
import dev.hapax.application.run.RunServices;
import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.Places;
import dev.hapax.domain.operation.Identities;
import dev.hapax.domain.run.Run;
import dev.hapax.grpc.definition.DefinitionGrpc;
import dev.hapax.grpc.hook.HookGrpc;
import dev.hapax.grpc.operation.OperationGrpc;
import dev.hapax.grpc.run.RunGrpc;
import dev.hapax.grpc.run.WorkerGrpc;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.definition.InMemoryDefinitionReads;
import dev.hapax.testkit.hook.InMemoryHookReads;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.operation.InMemoryOperationReads;
import dev.hapax.testkit.run.InMemoryRunReads;
import io.grpc.BindableService;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/** All features on one ledger in memory. */
final class Services implements AutoCloseable {
  private final InMemoryLedger ledger;
  private final ManualScheduler leases;
  private final LeaseTimer operationTimer;
  private final StopTimer runTimer = new StopTimer();
  private final Operations operations;
  private final RunServices runs;
  private final List<BindableService> all;

  Services(SettableClock clock) {
    ledger = new InMemoryLedger(clock);
    leases = new ManualScheduler(clock);
    operationTimer = new LeaseTimer(leases);
    var places = new Places();
    operations =
        new Operations(ledger, new InMemoryOperationReads(ledger, clock), places, operationTimer);
    // the same ids in every run of a test, as far as its threads allow
    runs =
        new RunServices(
            ledger,
            new InMemoryRunReads(ledger, clock),
            places,
            clock,
            new Random(1)::nextLong,
            runTimer);
    var definitions = new Definitions(ledger, new InMemoryDefinitionReads(ledger));
    var hooks = new Hooks(ledger, new InMemoryHookReads(ledger, clock), runs.runs());
    var secret = "nobody guesses keys in a test".getBytes(StandardCharsets.UTF_8);
    all =
        List.of(
            new OperationGrpc(operations, new Identities(secret)),
            new DefinitionGrpc(definitions),
            new RunGrpc(definitions, runs.runs(), hooks, clock),
            new HookGrpc(hooks),
            new WorkerGrpc(runs.tasks(), clock));
    runs.start();
  }

  List<BindableService> all() {
    return all;
  }

  Runs runs() {
    return runs.runs();
  }

  /** Every run as it is now. */
  Stream<Run> stored() {
    return ledger.records().values().stream().filter(Run.class::isInstance).map(Run.class::cast);
  }

  /** Decides what is due by now. */
  void tick() {
    leases.runDue();
    runTimer.stop();
  }

  /** When something is due that is not a run's. */
  Optional<Instant> nextDue() {
    return leases.nextDue();
  }

  /** Answers every call that waits, also those to come. */
  void stopWaiting() {
    operations.stopWaiting();
    runs.tasks().stopWaiting();
    runs.runs().stopWaiting();
  }

  @Override
  public void close() {
    runTimer.shutdownNow();
    operationTimer.shutdownNow();
  }
}
