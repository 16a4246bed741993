package dev.hapax.grpc.run;

import com.google.protobuf.util.Durations;
import dev.hapax.application.definition.Definitions;
import dev.hapax.application.hook.Hooks;
import dev.hapax.application.hook.RunStarter;
import dev.hapax.application.limit.Limits;
import dev.hapax.application.run.RunServices;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.run.PartsGate;
import dev.hapax.domain.run.TurnsGate;
import dev.hapax.grpc.call.CellRoute;
import dev.hapax.grpc.call.GatedParts;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.grpc.call.Refusal;
import dev.hapax.grpc.definition.DefinitionGrpc;
import dev.hapax.grpc.definition.GatedRegistrations;
import dev.hapax.grpc.hook.HookGrpc;
import dev.hapax.grpc.server.RequestReader;
import dev.hapax.grpc.trace.TraceHeader;
import dev.hapax.grpc.trace.Tracing;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.definition.InMemoryDefinitionReads;
import dev.hapax.testkit.hook.InMemoryHookReads;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.limit.InMemoryLimitReads;
import dev.hapax.testkit.run.InMemoryRunReads;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.Payload;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.Task;
import dev.hapax.v1.TaskStep;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** The services on a ledger in memory, and a client to them. */
final class Service implements AutoCloseable {
  /** No server of an earlier version works on the same records. */
  private static final GatedParts PARTS = new GatedParts(PartsGate.OPEN);

  static final String QUEUE = "work";
  final SettableClock clock;
  final ManualScheduler timer;
  final WaiterQuota places = new WaiterQuota();
  final RunServices services;
  final ManagedChannel channel;
  private final Server server;

  private final InMemoryLedger ledger;

  Service() {
    this(OpenTelemetry.noop());
  }

  /** The services with spans. */
  Service(OpenTelemetry telemetry) {
    this(new SettableClock(Instant.parse("2026-01-01T00:00:00Z")), telemetry);
  }

  private Service(SettableClock clock, OpenTelemetry telemetry) {
    this(clock, new InMemoryLedger(clock), telemetry);
  }

  private Service(SettableClock clock, InMemoryLedger ledger, OpenTelemetry telemetry) {
    this.clock = clock;
    this.timer = new ManualScheduler(clock);
    this.ledger = ledger;
    var definitions = new Definitions(ledger, new InMemoryDefinitionReads(ledger));
    services =
        new RunServices(
            ledger,
            new InMemoryRunReads(ledger, clock),
            places,
            clock,
            new Random(1)::nextLong,
            timer);
    var hooks = new Hooks(ledger, new InMemoryHookReads(ledger, clock), services.runs());
    var starter = new RunStarter(definitions, services.runs(), hooks);
    var random = new RandomValues(new Random()::nextLong);
    var name = InProcessServerBuilder.generateName();
    try {
      server =
          InProcessServerBuilder.forName(name)
              .directExecutor()
              .addService(
                  RequestReader.around(
                      new DefinitionGrpc(
                              definitions,
                              new GatedRegistrations(definitions, PartsGate.OPEN, TurnsGate.OPEN))
                          .bindService()))
              .addService(
                  RequestReader.around(
                      new RunGrpc(
                              starter,
                              services.runs(),
                              hooks,
                              new Limits(
                                  ledger, new InMemoryLimitReads(ledger), services.runs(), hooks),
                              PARTS,
                              TurnsGate.OPEN,
                              clock,
                              random,
                              new Tracing(telemetry),
                              CellRoute.ONE_CELL)
                          .bindService()))
              .addService(
                  RequestReader.around(
                      new HookGrpc(hooks, new PermittedTasks(services.tasks()), random)
                          .bindService()))
              .addService(
                  RequestReader.around(
                      new WorkerGrpc(services.tasks(), PARTS, clock, random, CellRoute.ONE_CELL)
                          .bindService()))
              .intercept(TraceHeader.INSTANCE)
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    services.start();
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
  }

  /** Another node on the same records. Neither node is notified of the other's commits. */
  Service anotherNode() {
    return new Service(clock, ledger, OpenTelemetry.noop());
  }

  DefinitionServiceGrpc.DefinitionServiceBlockingStub definitions() {
    return DefinitionServiceGrpc.newBlockingStub(channel);
  }

  RunServiceGrpc.RunServiceBlockingStub runs() {
    return RunServiceGrpc.newBlockingStub(channel);
  }

  WorkerServiceGrpc.WorkerServiceBlockingStub worker() {
    return WorkerServiceGrpc.newBlockingStub(channel);
  }

  HookServiceGrpc.HookServiceBlockingStub hooks() {
    return HookServiceGrpc.newBlockingStub(channel);
  }

  static StepDefinition task(String name) {
    return StepDefinition.newBuilder()
        .setName(name)
        .setTask(TaskStep.newBuilder().setQueue(QUEUE))
        .build();
  }

  void define(String name, StepDefinition... steps) {
    var _ =
        definitions()
            .registerDefinition(
                RegisterDefinitionRequest.newBuilder()
                    .setName(name)
                    .setVersion("1")
                    .addAllSteps(List.of(steps))
                    .build());
  }

  static Payload json(String text) {
    return Payload.newBuilder().setJson(text).build();
  }

  static StartRunRequest.Builder start() {
    return StartRunRequest.newBuilder().setDefinition("order");
  }

  Run started() {
    return runs().startRun(start().build()).getRun();
  }

  Run get(String runId) {
    return runs().getRun(GetRunRequest.newBuilder().setRunId(runId).build()).getRun();
  }

  static PollTasksRequest.Builder polling() {
    return PollTasksRequest.newBuilder()
        .addQueues(QUEUE)
        .setWorkerId("worker")
        .setWait(Durations.ZERO);
  }

  Task poll() {
    return worker().pollTasks(polling().build()).getTasks(0);
  }

  static CompleteTaskRequest.Builder completion(Claim claim) {
    return CompleteTaskRequest.newBuilder().setClaim(claim);
  }

  static Refusal refusal(ThrowingCallable call) {
    return Refusal.of(call);
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }
}
