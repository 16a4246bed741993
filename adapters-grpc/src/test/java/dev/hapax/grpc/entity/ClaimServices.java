package dev.hapax.grpc.entity;

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
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.domain.run.PartsGate;
import dev.hapax.domain.run.TurnsGate;
import dev.hapax.grpc.call.CellRoute;
import dev.hapax.grpc.call.GatedParts;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.grpc.definition.DefinitionGrpc;
import dev.hapax.grpc.definition.GatedRegistrations;
import dev.hapax.grpc.janitor.JanitorGrpc;
import dev.hapax.grpc.lifecycle.LifecycleGrpc;
import dev.hapax.grpc.operation.OperationGrpc;
import dev.hapax.grpc.run.RunGrpc;
import dev.hapax.grpc.run.WorkerGrpc;
import dev.hapax.grpc.server.RequestReader;
import dev.hapax.grpc.trace.TraceHeader;
import dev.hapax.grpc.trace.Tracing;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.definition.InMemoryDefinitionReads;
import dev.hapax.testkit.entity.InMemoryEntityReads;
import dev.hapax.testkit.hook.InMemoryHookReads;
import dev.hapax.testkit.janitor.InMemoryJanitorReads;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.ledger.SteeredLedger;
import dev.hapax.testkit.lifecycle.InMemoryLifecycleReads;
import dev.hapax.testkit.limit.InMemoryLimitReads;
import dev.hapax.testkit.operation.InMemoryOperationReads;
import dev.hapax.testkit.run.InMemoryRunReads;
import dev.hapax.v1.ApplyLifecyclesRequest;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginActionResponse.Granted;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteActionResponse;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.Entity;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.EntityServiceGrpc.EntityServiceBlockingStub;
import dev.hapax.v1.GetEntityRequest;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.JanitorMode;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.JanitorServiceGrpc.JanitorServiceBlockingStub;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.LifecycleServiceGrpc.LifecycleServiceBlockingStub;
import dev.hapax.v1.SweepRequest;
import dev.hapax.v1.SweepResponse;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Random;

/** The services of claims on a ledger in memory, and a client to them. */
public final class ClaimServices implements AutoCloseable {
  /** No server of an earlier version works on the same records. */
  private static final GatedParts PARTS = new GatedParts(PartsGate.OPEN);

  public static final String MODULE = "accounting";

  /** As in the seed, and a step that admins claim and the system does not. */
  public static final String BILLING =
      """
      { "lifecycle": "billing", "module": "accounting", "entity": "invoices",
        "status_types": ["approved", "closing", "closed", "void"],
        "steps": [
          { "step_id": 20, "step_key": "close", "status": "approved",
            "successful_claim_state": { "admin": ["closing", "approved"] },
            "successful_state": { "admin": "closed", "system": "closed" },
            "action": { "admin": "CloseBillingActionUseCase", "system": "CloseBilling" },
            "success_after_effect": { "admin": "SendBillingEmails" } },
          { "step_id": 30, "step_key": "cancel", "status": "approved",
            "successful_state": { "admin": "void" } }
        ] }
      """;

  public final SettableClock clock = new SettableClock(Instant.parse("2026-01-01T00:00:00Z"));
  public final ManualScheduler timer = new ManualScheduler(clock);
  public final WaiterQuota places = new WaiterQuota();
  public final InMemoryLedger ledger = new InMemoryLedger(clock);

  /** The way in which janitors and steps get to it. */
  public final SteeredLedger steered = new SteeredLedger(ledger);

  public final ManagedChannel channel;
  private final Server server;

  public ClaimServices() {
    var random = new Random(1);
    var definitions = new Definitions(ledger, new InMemoryDefinitionReads(ledger));
    var services =
        new RunServices(
            steered, new InMemoryRunReads(ledger, clock), places, clock, random::nextLong, timer);
    var runs = services.runs();
    var hooks = new Hooks(ledger, new InMemoryHookReads(ledger, clock), runs);
    var operations =
        new Operations(ledger, new InMemoryOperationReads(ledger, clock), places, timer);
    var reads = new InMemoryEntityReads(ledger, clock);
    var entities = new Entities(ledger, reads, runs, places, timer);
    var janitorReads = new InMemoryJanitorReads(ledger, clock);
    var janitors =
        new Janitors(steered, reads, janitorReads, runs, places, clock, random::nextLong, timer);
    var lifecycles =
        new Lifecycles(
            ledger,
            new InMemoryLifecycleReads(ledger),
            janitorReads,
            reads,
            janitors,
            random::nextLong);
    var keyedIds = new KeyedIds(new byte[32]);
    var held = new HeldClaims(entities, operations, runs);
    var starter = new RunStarter(definitions, runs, hooks);
    var values = new RandomValues(random::nextLong);
    var name = InProcessServerBuilder.generateName();
    try {
      server =
          InProcessServerBuilder.forName(name)
              .directExecutor()
              .intercept(TraceHeader.INSTANCE)
              .addService(
                  RequestReader.around(
                      new OperationGrpc(operations, keyedIds, values, CellRoute.ONE_CELL)
                          .bindService()))
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
                              runs,
                              hooks,
                              new Limits(ledger, new InMemoryLimitReads(ledger), runs, hooks),
                              PARTS,
                              TurnsGate.OPEN,
                              clock,
                              values,
                              Tracing.NONE,
                              CellRoute.ONE_CELL)
                          .bindService()))
              .addService(
                  RequestReader.around(
                      new WorkerGrpc(services.tasks(), PARTS, clock, values, CellRoute.ONE_CELL)
                          .bindService()))
              .addService(RequestReader.around(new LifecycleGrpc(lifecycles).bindService()))
              .addService(
                  RequestReader.around(
                      new EntityGrpc(entities, held, keyedIds, values).bindService()))
              .addService(
                  RequestReader.around(
                      new JanitorGrpc(janitors, lifecycles, keyedIds).bindService()))
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
  }

  public LifecycleServiceBlockingStub lifecycles() {
    return LifecycleServiceGrpc.newBlockingStub(channel);
  }

  public EntityServiceBlockingStub entities() {
    return EntityServiceGrpc.newBlockingStub(channel);
  }

  public JanitorServiceBlockingStub janitors() {
    return JanitorServiceGrpc.newBlockingStub(channel);
  }

  /** A janitor, the lifecycle, and an invoice that is approved. */
  public void prepare(JanitorMode mode) {
    declare(mode);
    apply(BILLING);
    create("inv-1");
  }

  public void declare(JanitorMode mode) {
    var contract =
        JanitorContract.newBuilder().setModule(MODULE).addClaimStates("closing").setMode(mode);
    var _ =
        janitors().declareJanitor(DeclareJanitorRequest.newBuilder().setContract(contract).build());
  }

  public void apply(String json) {
    var _ =
        lifecycles()
            .applyLifecycles(ApplyLifecyclesRequest.newBuilder().addLifecycles(json).build());
  }

  public void create(String id) {
    var _ =
        entities()
            .createEntity(
                CreateEntityRequest.newBuilder()
                    .setLifecycle("billing")
                    .setEntityId(id)
                    .setStatus("approved")
                    .build());
  }

  public Entity get(String id) {
    var request = GetEntityRequest.newBuilder().setLifecycle("billing").setEntityId(id);
    return entities().getEntity(request.build()).getEntity();
  }

  /** A request to close an invoice as this requester. */
  public static BeginActionRequest.Builder closing(String id, String requester) {
    return BeginActionRequest.newBuilder()
        .setLifecycle("billing")
        .setEntityId(id)
        .setStepKey("close")
        .setRequester(requester);
  }

  /** The claim of an admin. */
  public Granted claimed(String id) {
    return entities().beginAction(closing(id, "admin").setActor("ann").build()).getGranted();
  }

  public CompleteActionResponse complete(Claim claim) {
    return entities().completeAction(CompleteActionRequest.newBuilder().setClaim(claim).build());
  }

  public SweepResponse sweep() {
    return janitors().sweep(SweepRequest.newBuilder().setModule(MODULE).build());
  }

  /** Until every lease of the contract's length is over. */
  public void afterTheLease() {
    clock.advance(java.time.Duration.ofMinutes(5));
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }
}
