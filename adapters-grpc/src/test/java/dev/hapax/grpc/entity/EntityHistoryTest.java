package dev.hapax.grpc.entity;

import static dev.hapax.grpc.entity.ClaimServices.closing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.grpc.call.Refusal;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteRecoveryRequest;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.HistoryView;
import dev.hapax.v1.JanitorMode;
import dev.hapax.v1.ListEntityEventsRequest;
import dev.hapax.v1.Payload;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.RecoveryOutcome;
import dev.hapax.v1.ReleaseClaimRequest;
import dev.hapax.v1.ReleaseClaimResponse;
import dev.hapax.v1.SweepRequest;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class EntityHistoryTest {
  private final ClaimServices services = new ClaimServices();

  @AfterEach
  void close() {
    services.close();
  }

  private static ListEntityEventsRequest.Builder history() {
    return ListEntityEventsRequest.newBuilder().setLifecycle("billing").setEntityId("inv-1");
  }

  private List<EntityEvent> events(ListEntityEventsRequest.Builder request) {
    var events = new ArrayList<EntityEvent>();
    do {
      var page = services.entities().listEntityEvents(request.build());
      events.addAll(page.getEventsList());
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return events;
  }

  private EntityEvent last() {
    return events(history()).getLast();
  }

  private static ReleaseClaimRequest.Builder release(String requestId) {
    return ReleaseClaimRequest.newBuilder()
        .setLifecycle("billing")
        .setEntityId("inv-1")
        .setRequestId(requestId)
        .setReason("stuck since noon")
        .setActor("bob");
  }

  private ReleaseClaimResponse release(ReleaseClaimRequest.Builder request) {
    return services.entities().releaseClaim(request.build());
  }

  @Test
  @DisplayName("given a history, then every version has its event, in order and page by page")
  void everyVersion() {
    services.prepare(JanitorMode.JANITOR_MODE_HOSTED);
    var began = services.claimed("inv-1");
    assertThat(last().getType()).isEqualTo(EntityEventType.ENTITY_EVENT_TYPE_ACTION_BEGAN);
    assertThat(last().getActor()).isEqualTo("ann");
    assertThat(last().getStatus()).isEqualTo("closing");
    var details = last().getActionBegan();
    assertThat(details.getStepKey()).isEqualTo("close");
    assertThat(details.getRequester()).isEqualTo("admin");
    assertThat(details.getAction()).isEqualTo("CloseBillingActionUseCase");
    assertThat(details.getAfterEffect()).isEqualTo("SendBillingEmails");
    assertThat(details.getRevertTo()).isEqualTo("approved");
    assertThat(details.getSuccessfulState()).isEqualTo("closed");
    assertThat(details.getModule()).isEqualTo(ClaimServices.MODULE);
    assertThat(details.getFence()).isEqualTo(began.getClaim().getFence());

    var _ =
        services
            .entities()
            .failAction(
                FailActionRequest.newBuilder()
                    .setClaim(began.getClaim())
                    .setKind(ActionFailureKind.ACTION_FAILURE_KIND_INVALID)
                    .setMessage("no such customer")
                    .setActor("ann's machine")
                    .build());
    assertThat(last().getType()).isEqualTo(EntityEventType.ENTITY_EVENT_TYPE_ACTION_FAILED);
    assertThat(last().getActor()).isEqualTo("ann's machine");
    assertThat(last().getActionFailed().getKind())
        .isEqualTo(ActionFailureKind.ACTION_FAILURE_KIND_INVALID);
    assertThat(last().getActionFailed().getMessage()).isEqualTo("no such customer");

    var _ = services.claimed("inv-1");
    services.afterTheLease();
    var _ = services.sweep();
    assertThat(last().getType()).isEqualTo(EntityEventType.ENTITY_EVENT_TYPE_CLAIM_REVERTED);
    assertThat(last().getActor()).isEqualTo("janitor " + ClaimServices.MODULE);

    var claim = services.claimed("inv-1").getClaim();
    services.declare(JanitorMode.JANITOR_MODE_REMOTE);
    services.afterTheLease();
    var recovery =
        services
            .janitors()
            .pollRecoveries(
                PollRecoveriesRequest.newBuilder()
                    .setModule(ClaimServices.MODULE)
                    .setWorkerId("desk-1")
                    .build())
            .getRecoveries(0);
    assertThat(last().getType()).isEqualTo(EntityEventType.ENTITY_EVENT_TYPE_RECOVERY_BEGAN);
    assertThat(last().getActor()).isEqualTo("desk-1");
    assertThat(last().getRecoveryBegan().getFence()).isGreaterThan(claim.getFence());
    var _ =
        services
            .janitors()
            .completeRecovery(
                CompleteRecoveryRequest.newBuilder()
                    .setClaim(recovery.getClaim())
                    .setOutcome(RecoveryOutcome.RECOVERY_OUTCOME_REVERT)
                    .setReason("no booking found")
                    .build());
    assertThat(last().getType()).isEqualTo(EntityEventType.ENTITY_EVENT_TYPE_RECOVERED);
    assertThat(last().getRecovered().getOutcome())
        .isEqualTo(RecoveryOutcome.RECOVERY_OUTCOME_REVERT);
    assertThat(last().getRecovered().getReason()).isEqualTo("no booking found");

    var output = Payload.newBuilder().setJson("{\"receipt\": 7}").build();
    var _ =
        services
            .entities()
            .completeAction(
                CompleteActionRequest.newBuilder()
                    .setClaim(services.claimed("inv-1").getClaim())
                    .setOutput(output)
                    .build());
    assertThat(last().getType()).isEqualTo(EntityEventType.ENTITY_EVENT_TYPE_ACTION_COMPLETED);
    assertThat(last().getActionCompleted().getOutput()).isEqualTo(output);
    assertThat(last().getActor()).isEqualTo("admin");
    assertThat(last().getStatus()).isEqualTo("closed");

    var all = events(history());
    assertThat(all)
        .extracting(EntityEvent::getVersion)
        .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
    assertThat(all.getFirst().getType()).isEqualTo(EntityEventType.ENTITY_EVENT_TYPE_CREATED);
    assertThat(all.getFirst().getActor()).isEqualTo("client");
    assertThat(events(history().setPageSize(3))).isEqualTo(all);
    assertThat(events(history().setAfterVersion(8))).isEqualTo(all.subList(8, 10));
    assertThat(events(history().setAfterVersion(10))).isEmpty();

    var basic = events(history().setView(HistoryView.HISTORY_VIEW_BASIC));
    assertThat(basic).hasSameSizeAs(all);
    assertThat(basic.getLast().getActionCompleted())
        .isEqualTo(all.getLast().getActionCompleted().toBuilder().clearOutput().build());
    assertThat(basic.subList(0, 9)).isEqualTo(all.subList(0, 9));
    assertThat(events(history().setView(HistoryView.HISTORY_VIEW_FULL))).isEqualTo(all);
  }

  @Test
  @DisplayName("given a sweep by an operator, then the history has actor and reason")
  void sweepByHand() {
    services.prepare(JanitorMode.JANITOR_MODE_HOSTED);
    var _ = services.claimed("inv-1");
    services.afterTheLease();
    var request =
        SweepRequest.newBuilder()
            .setModule(ClaimServices.MODULE)
            .setActor("bob")
            .setReason("the month ends")
            .build();
    assertThat(services.janitors().sweep(request).getFreed()).isOne();
    assertThat(last().getActor()).isEqualTo("bob");
    assertThat(last().getClaimReverted().getReason()).isEqualTo("the month ends");
    assertThat(last().getClaimReverted().getFence()).isEqualTo(services.get("inv-1").getFence());
  }

  @Test
  @DisplayName(
      "given a released claim, then it has a reason, a repeat is a no-op and the holder lost it")
  void releases() {
    services.prepare(JanitorMode.JANITOR_MODE_HOSTED);
    var claim = services.claimed("inv-1").getClaim();
    var moved = Refusal.of(() -> release(release("r1").setExpectedVersion(1)));
    assertThat(moved.code()).isEqualTo(Code.ABORTED);
    assertThat(moved.metadata()).containsEntry("version", "2");

    var released = release(release("r1").setExpectedVersion(2));
    assertThat(released.getAlready()).isFalse();
    assertThat(released.getEntity().getStatus()).isEqualTo("approved");
    assertThat(released.getEntity().hasClaim()).isFalse();
    assertThat(released.getEntity().getFence()).isGreaterThan(claim.getFence());
    assertThat(last().getType()).isEqualTo(EntityEventType.ENTITY_EVENT_TYPE_CLAIM_RELEASED);
    assertThat(last().getActor()).isEqualTo("bob");
    assertThat(last().getClaimReleased().getRequestId()).isEqualTo("r1");
    assertThat(last().getClaimReleased().getReason()).isEqualTo("stuck since noon");
    assertThat(last().getClaimReleased().getOutcome())
        .isEqualTo(RecoveryOutcome.RECOVERY_OUTCOME_REVERT);
    assertThat(services.complete(claim).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_RELEASED);

    // X1: also when it was claimed anew in between
    assertThat(services.claimed("inv-1").getEntity().getVersion()).isEqualTo(4);
    assertThat(release(release("r1").setExpectedVersion(2)).getAlready()).isTrue();
    assertThat(services.get("inv-1").getStatus()).isEqualTo("closing");
    assertThat(release(release("r2")).getAlready()).isFalse();
    assertThat(release(release("r1")).getAlready()).isTrue();
  }

  @Test
  @DisplayName("given ReleaseClaim with COMPLETE, then the action completes with its after-effect")
  void releasesAsDone() {
    services.prepare(JanitorMode.JANITOR_MODE_HOSTED);
    var claim = services.claimed("inv-1").getClaim();
    var done = release("r1").setOutcome(RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE);
    assertThat(release(done).getEntity().getStatus()).isEqualTo("closed");
    assertThat(last().getType()).isEqualTo(EntityEventType.ENTITY_EVENT_TYPE_CLAIM_RELEASED);
    assertThat(last().getClaimReleased().getOutcome())
        .isEqualTo(RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE);
    assertThat(services.complete(claim).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_RELEASED);
    assertThat(release(done).getAlready()).isTrue();
  }

  @Test
  @DisplayName("given a free or missing entity, then ReleaseClaim is rejected")
  void nothingToRelease() {
    services.prepare(JanitorMode.JANITOR_MODE_HOSTED);
    var free = Refusal.of(() -> release(release("r1")));
    assertThat(free.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(free.reason()).isEqualTo("NOT_CLAIMED");
    assertThat(free.metadata()).containsEntry("status", "approved");
    var unknown = Refusal.of(() -> release(release("r1").setEntityId("inv-9")));
    assertThat(unknown.code()).isEqualTo(Code.NOT_FOUND);
    assertThat(unknown.reason()).isEqualTo("ENTITY_NOT_FOUND");
    assertThat(Refusal.of(() -> release(release("").setReason("x"))).fields())
        .containsExactly("request_id");
    assertThat(Refusal.of(() -> release(release("r1").clearReason())).fields())
        .containsExactly("reason");
  }

  @Test
  @DisplayName(
      "given a missing entity or lifecycle, then history and BeginAction say which " + "[X4]")
  void unknown() {
    services.prepare(JanitorMode.JANITOR_MODE_HOSTED);
    var stub = services.entities();
    assertThat(
            Refusal.of(() -> stub.listEntityEvents(history().setEntityId("inv-9").build()))
                .reason())
        .isEqualTo("ENTITY_NOT_FOUND");
    assertThat(
            Refusal.of(() -> stub.listEntityEvents(history().setWorkspace("elsewhere").build()))
                .code())
        .isEqualTo(Code.NOT_FOUND);
    assertThat(
            Refusal.of(() -> stub.listEntityEvents(history().setAfterVersion(-1).build())).fields())
        .containsExactly("after_version");
    assertThat(
            Refusal.of(() -> stub.listEntityEvents(history().setPageToken("x").build())).fields())
        .containsExactly("page_token");
    assertThat(Refusal.of(() -> stub.beginAction(closing("inv-9", "admin").build())).reason())
        .isEqualTo("ENTITY_NOT_FOUND");
    var orders = closing("inv-1", "admin").setLifecycle("orders").build();
    assertThat(Refusal.of(() -> stub.beginAction(orders)).reason())
        .isEqualTo("LIFECYCLE_NOT_FOUND");
  }
}
