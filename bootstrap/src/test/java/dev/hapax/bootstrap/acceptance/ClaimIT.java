package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.SweepRequest;
import io.grpc.Status.Code;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClaimIT {
  private static final int CALLERS = 50;
  private static final int CONNECTIONS = 5;
  private final Deployment deployment = Deployment.shared();
  private final ClaimCaller caller = ClaimCaller.to(deployment.target());

  @AfterEach
  void close() {
    caller.close();
  }

  @RepeatedTest(value = 3, name = "of 50 who want to act one does ({currentRepetition}) [C1]")
  void oneActs() {
    var created = caller.approved("1");
    var callers =
        Stream.generate(() -> caller.via(deployment.target())).limit(CONNECTIONS).toList();

    var answers =
        ConcurrentCalls.call(
            CALLERS,
            i ->
                callers
                    .get(i % CONNECTIONS)
                    .futures()
                    .beginAction(caller.begin("1").setActor("caller-" + i).build()));

    assertThat(answers).filteredOn(BeginActionResponse::hasGranted).hasSize(1);
    var entity = caller.get("1");
    assertThat(entity.getStatus()).isEqualTo("closing");
    assertThat(entity.getVersion()).isEqualTo(created.getVersion() + 1);
    var granted = IntStream.range(0, CALLERS).filter(i -> answers.get(i).hasGranted()).findFirst();
    assertThat(entity.getClaim().getHolder()).isEqualTo("caller-" + granted.orElseThrow());
    assertThat(answers)
        .filteredOn(answer -> !answer.hasGranted())
        .hasSize(CALLERS - 1)
        .allSatisfy(
            answer -> {
              assertThat(answer.hasClaimFailed()).isTrue();
              var failed = answer.getClaimFailed();
              assertThat(failed.getHolder()).isEqualTo(entity.getClaim().getHolder());
              assertThat(failed.getSince()).isEqualTo(entity.getClaim().getSince());
              assertThat(failed.getLeaseRemaining().getSeconds()).isBetween(1L, 60L);
              assertThat(failed.getMessage())
                  .startsWith("another operation is already in progress")
                  .contains(failed.getHolder());
            });
    callers.forEach(ClaimCaller::close);
  }

  @Test
  @DisplayName("the grant says what to do, and the entity is in the claim state meanwhile [C1]")
  void granted() {
    var _ = caller.approved("1");
    var granted = caller.granted(caller.begin("1").setActor("anna"));
    assertThat(granted.getAction()).isEqualTo("CloseBillingActionUseCase");
    assertThat(granted.getExclusive()).isTrue();
    assertThat(granted.getReentrant()).isFalse();
    assertThat(granted.getLeaseRemaining()).isEqualTo(Caller.seconds(60));
    var claim = granted.getEntity().getClaim();
    assertThat(caller.get("1")).isEqualTo(granted.getEntity());
    assertThat(claim.getHolder()).isEqualTo("anna");
    assertThat(claim.getStepKey()).isEqualTo("close");
    assertThat(claim.getRequester()).isEqualTo("admin");
    assertThat(claim.getRevertTo()).isEqualTo("approved");
    assertThat(claim.getModule()).isEqualTo(ClaimCaller.MODULE);
    assertThat(claim.getFence()).isEqualTo(granted.getClaim().getFence());
    assertThat(claim.toString()).doesNotContain(granted.getClaim().getId());
  }

  @Test
  @DisplayName("success leads to the successful state, once [C2]")
  void success() {
    var _ = caller.approved("1");
    var claim = caller.claimed("1");
    var completed = caller.complete(claim).getCompleted();
    assertThat(completed.getAlready()).isFalse();
    assertThat(completed.getEntity().getStatus()).isEqualTo("closed");
    assertThat(completed.getEntity().hasClaim()).isFalse();
    assertThat(completed.getEntity()).isEqualTo(caller.get("1"));
    assertThat(caller.complete(claim).getCompleted().getAlready()).isTrue();
    assertThat(caller.fail(claim, ActionFailureKind.ACTION_FAILURE_KIND_FAILURE).getClaimLost())
        .extracting(lost -> lost.getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_ENDED);
    assertThat(caller.get("1")).isEqualTo(completed.getEntity());
  }

  @ParameterizedTest(name = "{0} leads back, and the next may act at once [C2]")
  @EnumSource(
      names = {
        "ACTION_FAILURE_KIND_FAILURE",
        "ACTION_FAILURE_KIND_INVALID",
        "ACTION_FAILURE_KIND_EXCEPTION"
      })
  void failure(ActionFailureKind kind) {
    var _ = caller.approved("1");
    var claim = caller.claimed("1");
    var failed = caller.fail(claim, kind).getFailed();
    assertThat(failed.getAlready()).isFalse();
    assertThat(failed.getEntity().getStatus()).isEqualTo("approved");
    assertThat(failed.getEntity().hasClaim()).isFalse();
    var event = caller.events("1").getLast();
    assertThat(event.getType()).isEqualTo(EntityEventType.ENTITY_EVENT_TYPE_ACTION_FAILED);
    assertThat(event.getActionFailed().getKind()).isEqualTo(kind);
    assertThat(event.getActionFailed().getMessage()).isEqualTo("the bank said no");
    assertThat(caller.complete(claim).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_ENDED);
    assertThat(caller.complete(caller.claimed("1")).getCompleted().getEntity().getStatus())
        .isEqualTo("closed");
  }

  @Test
  @DisplayName("admins claim; the system, which the lifecycle lets act without, does not [C3]")
  void requesters() {
    var created = caller.approved("1");
    var system = caller.granted(caller.begin("1", "close", "system"));
    assertThat(system.getExclusive()).isFalse();
    assertThat(system.getAction()).isEqualTo("CloseBilling");
    assertThat(caller.get("1")).isEqualTo(created);
    // and it does not keep others from acting
    var admin = caller.granted(caller.begin("1"));
    assertThat(admin.getEntity().getStatus()).isEqualTo("closing");
    assertThat(caller.complete(system.getClaim()).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_VERSION);
    assertThat(caller.complete(admin.getClaim()).hasCompleted()).isTrue();
  }

  @Test
  @DisplayName("given 50 actions without a claim, then the first to complete wins [C3]")
  void firstToComplete() {
    var created = caller.approved("1");
    var claims =
        ConcurrentCalls.call(
                CALLERS,
                _ -> caller.futures().beginAction(caller.begin("1", "close", "system").build()))
            .stream()
            .map(answer -> answer.getGranted().getClaim())
            .toList();
    assertThat(claims).doesNotHaveDuplicates();
    var answers =
        ConcurrentCalls.call(
            CALLERS, i -> caller.futures().completeAction(caller.completion(claims.get(i))));
    assertThat(answers).filteredOn(answer -> answer.hasCompleted()).hasSize(1);
    assertThat(answers)
        .filteredOn(answer -> answer.hasClaimLost())
        .hasSize(CALLERS - 1)
        .allMatch(
            answer ->
                answer.getClaimLost().getReason() == ClaimLostReason.CLAIM_LOST_REASON_VERSION);
    assertThat(caller.get("1").getVersion()).isEqualTo(created.getVersion() + 1);
    assertThat(caller.get("1").getStatus()).isEqualTo("closed");
  }

  @Test
  @DisplayName(
      "given a reverted entity, when the late holder completes, then nothing changes " + "[C7]")
  void late() {
    var _ = caller.approved("1");
    var late = caller.claimedShortly("1");
    caller.sweepUntilFreed(1);
    var reverted = caller.get("1");
    assertThat(reverted.getStatus()).isEqualTo("approved");
    assertThat(reverted.getFence()).isGreaterThan(late.getFence());

    for (var i = 0; i < 2; i++) {
      assertThat(caller.complete(late).getClaimLost().getReason())
          .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
      assertThat(
              caller
                  .fail(late, ActionFailureKind.ACTION_FAILURE_KIND_FAILURE)
                  .getClaimLost()
                  .getReason())
          .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
      assertThat(caller.renew(late, Caller.seconds(60)).getClaimLost().getReason())
          .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    }
    assertThat(caller.get("1")).isEqualTo(reverted);
  }

  @Test
  @DisplayName(
      "given a new holder, when the late one completes, then the new one is not " + "affected [C7]")
  void lateAgainstNext() {
    var _ = caller.approved("1");
    var late = caller.claimedShortly("1");
    // waits until the lease is over
    var next = caller.granted(caller.begin("1").setWait(Caller.seconds(20)));
    assertThat(next.getClaim().getFence()).isGreaterThan(late.getFence());
    assertThat(caller.complete(late).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    assertThat(caller.get("1")).isEqualTo(next.getEntity());
    assertThat(caller.complete(next.getClaim()).getCompleted().getAlready()).isFalse();
    assertThat(caller.history("1"))
        .containsExactly(
            EntityEventType.ENTITY_EVENT_TYPE_CREATED,
            EntityEventType.ENTITY_EVENT_TYPE_ACTION_BEGAN,
            EntityEventType.ENTITY_EVENT_TYPE_CLAIM_REVERTED,
            EntityEventType.ENTITY_EVENT_TYPE_ACTION_BEGAN,
            EntityEventType.ENTITY_EVENT_TYPE_ACTION_COMPLETED);
  }

  @Test
  @DisplayName(
      "given an expired lease without a new holder, then the late holder completes " + "[C7]")
  void lateButAlone() {
    var _ = caller.approved("1");
    var claim = caller.claimedShortly("1");
    awaitLeaseOver("1");
    assertThat(caller.complete(claim).getCompleted().getEntity().getStatus()).isEqualTo("closed");
  }

  private void awaitLeaseOver(String id) {
    var until = caller.get(id).getClaim().getLeaseUntil();
    Condition.await(
        "the lease of " + id + " ends",
        () ->
            deployment
                .database()
                .query(
                    String.format(
                        Locale.ROOT,
                        "SELECT clock_timestamp() > to_timestamp(%s.%09d)",
                        until.getSeconds(),
                        until.getNanos()))
                .equals("t"));
  }

  @Test
  @DisplayName("given an old version, then the call is rejected and nothing changes [C8]")
  void staleVersion() {
    var created = caller.approved("1");
    var claim = caller.granted(caller.begin("1").setExpectedVersion(created.getVersion()));
    assertThat(caller.send(caller.begin("1").setExpectedVersion(created.getVersion())))
        .as("a live claim is named first")
        .matches(response -> response.hasClaimFailed());
    assertThat(
            caller
                .fail(claim.getClaim(), ActionFailureKind.ACTION_FAILURE_KIND_FAILURE)
                .hasFailed())
        .isTrue();
    var entity = caller.get("1");
    var row = row("1");
    for (var version : List.of(created.getVersion(), entity.getVersion() + 1)) {
      var refusal = Refusal.of(() -> caller.send(caller.begin("1").setExpectedVersion(version)));
      assertThat(refusal.code()).isEqualTo(Code.ABORTED);
      assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_CONCURRENCY_ERROR);
    }
    assertThat(row("1")).isEqualTo(row);
    assertThat(caller.events("1")).hasSize((int) entity.getVersion());
  }

  /** As it is stored, and by which transaction. */
  private String row(String id) {
    return deployment
        .database()
        .query(
            "SELECT xmin::text || ' ' || e::text FROM hapax.entity e WHERE workspace = '%s' AND id = '%s'"
                .formatted(caller.workspace(), id));
  }

  @Test
  @DisplayName("a janitor frees what is stale of its own module, and nothing else [C10]")
  void ownRows() {
    caller.declare(JanitorContract.newBuilder().setModule("shipping").addClaimStates("closing"));
    var _ =
        caller.apply(
            """
            { "lifecycle": "parcels", "module": "shipping", "entity": "parcels",
              "status_types": ["new", "closing", "sent"],
              "steps": [ { "step_key": "pack", "status": "new",
                  "claim_state": ["closing", "new"], "successful_state": "sent" } ] }
            """);
    var _ =
        caller.entities().createEntity(caller.creation("1", "new").setLifecycle("parcels").build());
    var other =
        caller.granted(
            caller
                .begin("1", "pack", "admin")
                .setLifecycle("parcels")
                .setLease(Caller.millis(100)));
    var live = caller.approved("live");
    var liveClaim = caller.claimed("live");
    var renewed = caller.approved("renewed");
    var renewedClaim = caller.claimedShortly("renewed");
    assertThat(caller.renew(renewedClaim, Caller.seconds(60)).hasRenewed()).isTrue();
    var _ = caller.approved("stale");
    var _ = caller.claimedShortly("stale");

    try (var foreign = ClaimCaller.to(deployment.target())) {
      var _ = foreign.approved("stale");
      var foreignClaim = foreign.claimedShortly("stale");
      caller.sweepUntilFreed(1);
      assertThat(caller.sweep().getFreed()).isZero();
      assertThat(foreign.complete(foreignClaim).hasCompleted()).isTrue();
    }
    assertThat(caller.get("stale").getStatus()).isEqualTo("approved");
    assertThat(caller.get("live").getVersion()).isEqualTo(live.getVersion() + 1);
    assertThat(caller.get("renewed").getVersion()).isEqualTo(renewed.getVersion() + 1);
    for (var claim : List.of(liveClaim, renewedClaim, other.getClaim())) {
      assertThat(caller.complete(claim).hasCompleted()).isTrue();
    }
    var none =
        Refusal.of(
            () ->
                caller
                    .janitors()
                    .sweep(
                        SweepRequest.newBuilder()
                            .setWorkspace(caller.workspace())
                            .setModule("undeclared")
                            .build()));
    assertThat(none.code()).isEqualTo(Code.NOT_FOUND);
    assertThat(none.reason()).isEqualTo(ErrorReason.ERROR_REASON_JANITOR_NOT_FOUND);
  }

  @Test
  @DisplayName("the same attempt gets the same claim, as long as it holds the entity [C1]")
  void reentrant() {
    var _ = caller.approved("1");
    var request = caller.begin("1").setAttemptId("attempt");
    var first = caller.granted(request);
    var again = caller.granted(request);
    assertThat(again.getReentrant()).isTrue();
    assertThat(again.getClaim()).isEqualTo(first.getClaim());
    assertThat(again.getEntity().getVersion()).isEqualTo(first.getEntity().getVersion());
    assertThat(caller.send(caller.begin("1")).hasClaimFailed()).isTrue();
    assertThat(caller.complete(again.getClaim()).hasCompleted()).isTrue();
    assertThat(caller.send(request).getWrongStatus().getStatus()).isEqualTo("closed");
  }

  @Test
  @DisplayName(
      "given a waiting caller, then it is granted when the holder fails, and "
          + "answered when it completes [C1]")
  void waiting() {
    var _ = caller.approved("1");
    var first = caller.claimed("1");
    var next = caller.futures().beginAction(caller.begin("1").setWait(Caller.seconds(30)).build());
    requireParked();
    assertThat(next.isDone()).isFalse();
    assertThat(caller.fail(first, ActionFailureKind.ACTION_FAILURE_KIND_FAILURE).hasFailed())
        .isTrue();
    var granted = ConcurrentCalls.answer(next).getGranted();
    assertThat(granted.getClaim().getFence()).isGreaterThan(first.getFence());

    var third = caller.futures().beginAction(caller.begin("1").setWait(Caller.seconds(30)).build());
    requireParked();
    assertThat(caller.complete(granted.getClaim()).hasCompleted()).isTrue();
    assertThat(ConcurrentCalls.answer(third).getWrongStatus().getStatus()).isEqualTo("closed");
  }

  /** Calls of a connection are read in order: when this is answered, the call before it waits. */
  private void requireParked() {
    assertThat(caller.send(caller.begin("1")).hasClaimFailed()).isTrue();
  }

  @Test
  @DisplayName("given a waiting caller, when its wait times out, then it gets the holder [C1]")
  void waitOver() {
    var _ = caller.approved("1");
    var _ = caller.claimed("1");
    var failed = caller.send(caller.begin("1").setWait(Caller.millis(50))).getClaimFailed();
    assertThat(failed.getHolder()).isEqualTo("admin");
  }

  @Test
  @DisplayName("in progress, wrong status, not allowed and unknown are different outcomes [C1]")
  void apart() {
    var _ = caller.approved("1");
    assertThat(outcome(caller.begin("1", "correct", "admin")))
        .isEqualTo(BeginActionResponse.OutcomeCase.WRONG_STATUS);
    assertThat(caller.send(caller.begin("1", "correct", "admin")).getWrongStatus().getStatus())
        .isEqualTo("approved");
    assertThat(outcome(caller.begin("1", "close", "customer")))
        .isEqualTo(BeginActionResponse.OutcomeCase.NOT_ALLOWED);
    assertThat(outcome(caller.begin("1", "nothing", "admin")))
        .isEqualTo(BeginActionResponse.OutcomeCase.NOT_ALLOWED);
    var _ = caller.claimed("1");
    assertThat(outcome(caller.begin("1"))).isEqualTo(BeginActionResponse.OutcomeCase.CLAIM_FAILED);
    assertThat(outcome(caller.begin("1", "close", "customer")))
        .isEqualTo(BeginActionResponse.OutcomeCase.NOT_ALLOWED);
    assertThat(reason(caller.begin("2"))).isEqualTo(ErrorReason.ERROR_REASON_ENTITY_NOT_FOUND);
    assertThat(reason(caller.begin("1").setLifecycle("nothing")))
        .isEqualTo(ErrorReason.ERROR_REASON_LIFECYCLE_NOT_FOUND);
  }

  private BeginActionResponse.OutcomeCase outcome(BeginActionRequest.Builder begin) {
    return caller.send(begin).getOutcomeCase();
  }

  private ErrorReason reason(BeginActionRequest.Builder begin) {
    var refusal = Refusal.of(() -> caller.send(begin));
    assertThat(refusal.code()).isEqualTo(Code.NOT_FOUND);
    return refusal.reason();
  }

  @Test
  @DisplayName("an operator takes an entity back, once per request [C7]")
  void release() {
    var _ = caller.approved("1");
    var unclaimed =
        Refusal.of(() -> caller.entities().releaseClaim(caller.release("1", "a").build()));
    assertThat(unclaimed.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(unclaimed.reason()).isEqualTo(ErrorReason.ERROR_REASON_NOT_CLAIMED);
    var claim = caller.claimed("1");
    var version = caller.get("1").getVersion();
    var old = caller.release("1", "b").setExpectedVersion(version - 1).build();
    var row = row("1");
    assertThat(Refusal.of(() -> caller.entities().releaseClaim(old)).reason())
        .isEqualTo(ErrorReason.ERROR_REASON_CONCURRENCY_ERROR);
    assertThat(row("1")).isEqualTo(row);

    var request = caller.release("1", "c").setExpectedVersion(version).build();
    var released = caller.entities().releaseClaim(request);
    assertThat(released.getAlready()).isFalse();
    assertThat(released.getEntity().getStatus()).isEqualTo("approved");
    var event = caller.events("1").getLast();
    assertThat(event.getType()).isEqualTo(EntityEventType.ENTITY_EVENT_TYPE_CLAIM_RELEASED);
    assertThat(event.getActor()).isEqualTo("operator");
    assertThat(event.getClaimReleased().getReason()).isEqualTo("looked at the bank");
    assertThat(event.getClaimReleased().getRequestId()).isEqualTo("c");
    assertThat(caller.complete(claim).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_RELEASED);

    // sent again when the next one acts already
    var next = caller.claimed("1");
    assertThat(caller.entities().releaseClaim(request).getAlready()).isTrue();
    assertThat(caller.complete(next).hasCompleted()).isTrue();
  }

  @Test
  @DisplayName("the history has one event for each version, without a gap [C8]")
  void history() {
    var _ = caller.entities().createEntity(caller.creation("1", "draft").build());
    for (var round = 0; round < 3; round++) {
      var approval = caller.granted(caller.begin("1", "approve", "anybody"));
      assertThat(caller.complete(approval.getClaim()).hasCompleted()).isTrue();
      var failing = caller.claimed("1");
      assertThat(caller.fail(failing, ActionFailureKind.ACTION_FAILURE_KIND_INVALID).hasFailed())
          .isTrue();
      assertThat(caller.complete(caller.claimed("1")).hasCompleted()).isTrue();
      var correction = caller.granted(caller.begin("1", "correct", "admin"));
      assertThat(caller.complete(correction.getClaim()).hasCompleted()).isTrue();
    }
    var events = caller.events("1");
    assertThat(events)
        .extracting(EntityEvent::getVersion)
        .containsExactlyElementsOf(
            LongStream.rangeClosed(1, caller.get("1").getVersion()).boxed().toList());
    assertThat(events.getLast().getStatus()).isEqualTo(caller.get("1").getStatus());
    assertThat(events).hasSize(1 + 3 * 7);
  }

  @Test
  @DisplayName("an entity is created once, wherever it has moved since [C2]")
  void creation() {
    var id = UUID.randomUUID().toString();
    var request = caller.creation(id, "approved").build();
    assertThat(caller.entities().createEntity(request).getAlready()).isFalse();
    assertThat(caller.complete(caller.claimed(id)).hasCompleted()).isTrue();
    var again = caller.entities().createEntity(request);
    assertThat(again.getAlready()).isTrue();
    assertThat(again.getEntity()).isEqualTo(caller.get(id));
    assertThat(again.getEntity().getStatus()).isEqualTo("closed");
    var refusal =
        Refusal.of(() -> caller.entities().createEntity(caller.creation("2", "closing").build()));
    assertThat(refusal.fields()).containsExactly("status");
  }
}
