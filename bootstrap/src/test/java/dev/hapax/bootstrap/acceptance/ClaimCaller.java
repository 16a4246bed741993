package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Duration;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.ApplyLifecyclesRequest;
import dev.hapax.v1.ApplyLifecyclesResponse;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.BeginActionResponse.Granted;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteActionResponse;
import dev.hapax.v1.CompleteRecoveryRequest;
import dev.hapax.v1.CompleteRecoveryResponse;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.DeleteEntityRequest;
import dev.hapax.v1.Entity;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.FailActionResponse;
import dev.hapax.v1.GetEntityRequest;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.JanitorMode;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.ListEntityEventsRequest;
import dev.hapax.v1.ListJanitorsRequest;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.Recovery;
import dev.hapax.v1.RecoveryOutcome;
import dev.hapax.v1.ReleaseClaimRequest;
import dev.hapax.v1.RenewActionRequest;
import dev.hapax.v1.RenewActionResponse;
import dev.hapax.v1.SweepRequest;
import dev.hapax.v1.SweepResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Acts on entities as any language does. */
record ClaimCaller(RunCaller runs) implements AutoCloseable {
  static final String LIFECYCLE = "billing";
  static final String MODULE = "accounting";
  private static final int PATIENCE_SECONDS = 60;

  /**
   * Admins claim what they close or correct, the system closes without a claim; other requesters
   * may not.
   */
  static final String BILLING =
      """
      { "lifecycle": "billing", "module": "accounting", "entity": "invoices",
        "status_types": ["draft", "approved", "closing", "closed", "correcting"],
        "steps": [
          { "step_id": 10, "step_key": "approve", "status": "draft",
            "successful_state": "approved", "action": "Approve" },
          { "step_id": 20, "step_key": "close", "status": "approved",
            "successful_claim_state": { "admin": ["closing", "approved"] },
            "successful_state": { "admin": "closed", "system": "closed" },
            "action": { "admin": "CloseBillingActionUseCase", "system": "CloseBilling" },
            "success_after_effect": { "admin": "SendBillingEmails" } },
          { "step_id": 30, "step_key": "correct", "status": "closed",
            "claim_state": ["correcting", "closed"], "successful_state": "draft" } ] }
      """;

  /** A client with a workspace of its own, with a hosted janitor that rarely sweeps. */
  static ClaimCaller to(String target) {
    var caller = empty(target);
    caller.declare(contract());
    var _ = caller.apply(BILLING);
    return caller;
  }

  /** A client with a workspace of its own without a lifecycle. */
  static ClaimCaller empty(String target) {
    return new ClaimCaller(RunCaller.to(target));
  }

  /** Another connection of the same tenant. */
  ClaimCaller via(String target) {
    return new ClaimCaller(runs.via(target));
  }

  String workspace() {
    return runs.workspace();
  }

  EntityServiceGrpc.EntityServiceBlockingStub entities() {
    return EntityServiceGrpc.newBlockingStub(runs.caller().channel())
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  EntityServiceGrpc.EntityServiceFutureStub futures() {
    return EntityServiceGrpc.newFutureStub(runs.caller().channel())
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  LifecycleServiceGrpc.LifecycleServiceBlockingStub lifecycles() {
    return LifecycleServiceGrpc.newBlockingStub(runs.caller().channel())
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  JanitorServiceGrpc.JanitorServiceBlockingStub janitors() {
    return JanitorServiceGrpc.newBlockingStub(runs.caller().channel())
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  JanitorServiceGrpc.JanitorServiceFutureStub recoverers() {
    return JanitorServiceGrpc.newFutureStub(runs.caller().channel())
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** It covers all that {@link #BILLING} claims, and looks once an hour. */
  static JanitorContract.Builder contract() {
    return JanitorContract.newBuilder()
        .setModule(MODULE)
        .addClaimStates("closing")
        .addClaimStates("correcting")
        .setStaleAfter(Caller.seconds(60))
        .setEvery(Caller.seconds(3_600));
  }

  static JanitorContract.Builder remote() {
    return contract().setMode(JanitorMode.JANITOR_MODE_REMOTE);
  }

  void declare(JanitorContract.Builder contract) {
    var _ = janitors().declareJanitor(declaration(contract));
  }

  DeclareJanitorRequest declaration(JanitorContract.Builder contract) {
    return DeclareJanitorRequest.newBuilder()
        .setWorkspace(workspace())
        .setContract(contract)
        .build();
  }

  ApplyLifecyclesRequest application(String json) {
    return ApplyLifecyclesRequest.newBuilder()
        .setWorkspace(workspace())
        .addLifecycles(json)
        .build();
  }

  ApplyLifecyclesResponse.Applied apply(String json) {
    return lifecycles().applyLifecycles(application(json)).getLifecycles(0);
  }

  CreateEntityRequest.Builder creation(String id, String status) {
    return CreateEntityRequest.newBuilder()
        .setWorkspace(workspace())
        .setLifecycle(LIFECYCLE)
        .setEntityId(id)
        .setStatus(status);
  }

  /** A new entity that an admin may close. */
  Entity approved(String id) {
    return entities().createEntity(creation(id, "approved").build()).getEntity();
  }

  Entity get(String id) {
    return entities()
        .getEntity(
            GetEntityRequest.newBuilder()
                .setWorkspace(workspace())
                .setLifecycle(LIFECYCLE)
                .setEntityId(id)
                .build())
        .getEntity();
  }

  /** The whole history, page by page. */
  List<EntityEvent> events(String id) {
    var all = new ArrayList<EntityEvent>();
    var token = "";
    do {
      var page =
          entities()
              .listEntityEvents(
                  ListEntityEventsRequest.newBuilder()
                      .setWorkspace(workspace())
                      .setLifecycle(LIFECYCLE)
                      .setEntityId(id)
                      .setPageSize(3)
                      .setPageToken(token)
                      .build());
      all.addAll(page.getEventsList());
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    return all;
  }

  List<EntityEventType> history(String id) {
    return events(id).stream().map(EntityEvent::getType).toList();
  }

  /** A new attempt of an admin to close it. */
  BeginActionRequest.Builder begin(String id) {
    return begin(id, "close", "admin");
  }

  BeginActionRequest.Builder begin(String id, String step, String requester) {
    return BeginActionRequest.newBuilder()
        .setWorkspace(workspace())
        .setLifecycle(LIFECYCLE)
        .setEntityId(id)
        .setStepKey(step)
        .setRequester(requester)
        .setAttemptId(UUID.randomUUID().toString());
  }

  BeginActionResponse send(BeginActionRequest.Builder begin) {
    return entities().beginAction(begin.build());
  }

  Granted granted(BeginActionRequest.Builder begin) {
    var response = send(begin);
    if (!response.hasGranted()) {
      throw new AssertionError("not granted: " + response);
    }
    return response.getGranted();
  }

  /** The claim of an admin who closes it. */
  Claim claimed(String id) {
    return granted(begin(id)).getClaim();
  }

  /** One whose lease ends at once, as far as that is allowed. */
  Claim claimedShortly(String id) {
    return granted(begin(id).setLease(Caller.millis(100))).getClaim();
  }

  RenewActionResponse renew(Claim claim, Duration lease) {
    return entities()
        .renewAction(
            RenewActionRequest.newBuilder()
                .setWorkspace(workspace())
                .setClaim(claim)
                .setLease(lease)
                .build());
  }

  CompleteActionRequest completion(Claim claim) {
    return CompleteActionRequest.newBuilder().setWorkspace(workspace()).setClaim(claim).build();
  }

  CompleteActionResponse complete(Claim claim) {
    return entities().completeAction(completion(claim));
  }

  FailActionRequest failure(Claim claim, ActionFailureKind kind) {
    return FailActionRequest.newBuilder()
        .setWorkspace(workspace())
        .setClaim(claim)
        .setKind(kind)
        .setMessage("the bank said no")
        .build();
  }

  FailActionResponse fail(Claim claim, ActionFailureKind kind) {
    return entities().failAction(failure(claim, kind));
  }

  ReleaseClaimRequest.Builder release(String id, String requestId) {
    return ReleaseClaimRequest.newBuilder()
        .setWorkspace(workspace())
        .setLifecycle(LIFECYCLE)
        .setEntityId(id)
        .setRequestId(requestId)
        .setReason("looked at the bank")
        .setActor("operator");
  }

  DeleteEntityRequest.Builder deletion(String id, String requestId) {
    return DeleteEntityRequest.newBuilder()
        .setWorkspace(workspace())
        .setLifecycle(LIFECYCLE)
        .setEntityId(id)
        .setRequestId(requestId)
        .setReason("a duplicate")
        .setActor("operator");
  }

  SweepResponse sweep() {
    return janitors()
        .sweep(SweepRequest.newBuilder().setWorkspace(workspace()).setModule(MODULE).build());
  }

  /** Sweeps until it has taken back so many. */
  void sweepUntilFreed(int count) {
    var freed = new int[1];
    Condition.await(count + " are taken back", () -> (freed[0] += sweep().getFreed()) >= count);
    if (freed[0] != count) {
      throw new AssertionError("not %s but %s were taken back".formatted(count, freed[0]));
    }
  }

  List<Janitor> listJanitors() {
    return janitors()
        .listJanitors(ListJanitorsRequest.newBuilder().setWorkspace(workspace()).build())
        .getJanitorsList();
  }

  PollRecoveriesRequest.Builder polling(String workerId) {
    return PollRecoveriesRequest.newBuilder()
        .setWorkspace(workspace())
        .setModule(MODULE)
        .setWorkerId(workerId)
        .setAttemptId(UUID.randomUUID().toString())
        .setWait(Caller.seconds(20));
  }

  List<Recovery> poll(PollRecoveriesRequest.Builder poll) {
    return janitors().pollRecoveries(poll.build()).getRecoveriesList();
  }

  /** The recovery that must come. */
  Recovery recovery(String workerId) {
    var recoveries = poll(polling(workerId));
    if (recoveries.size() != 1) {
      throw new AssertionError("not one recovery: " + recoveries);
    }
    return recoveries.getFirst();
  }

  CompleteRecoveryRequest verdict(Claim claim, RecoveryOutcome outcome) {
    return CompleteRecoveryRequest.newBuilder()
        .setWorkspace(workspace())
        .setClaim(claim)
        .setOutcome(outcome)
        .build();
  }

  CompleteRecoveryResponse recover(Claim claim, RecoveryOutcome outcome) {
    return janitors().completeRecovery(verdict(claim, outcome));
  }

  @Override
  public void close() {
    runs.close();
  }
}
