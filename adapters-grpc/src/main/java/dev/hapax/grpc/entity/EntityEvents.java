package dev.hapax.grpc.entity;

import dev.hapax.application.entity.Entities;
import dev.hapax.domain.Page;
import dev.hapax.domain.entity.ActionFailureKind;
import dev.hapax.domain.entity.ActionGrant;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.domain.lifecycle.Effect;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.HistoryViews;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.v1.EntityEvent.ActionBegan;
import dev.hapax.v1.EntityEvent.ActionCompleted;
import dev.hapax.v1.EntityEvent.ActionFailed;
import dev.hapax.v1.EntityEvent.ClaimReleased;
import dev.hapax.v1.EntityEvent.ClaimReverted;
import dev.hapax.v1.EntityEvent.Created;
import dev.hapax.v1.EntityEvent.Deleted;
import dev.hapax.v1.EntityEvent.Recovered;
import dev.hapax.v1.EntityEvent.RecoveryBegan;
import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.ListEntityEventsRequest;
import dev.hapax.v1.ListEntityEventsResponse;
import dev.hapax.v1.RecoveryOutcome;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Serves ListEntityEvents. */
final class EntityEvents {
  private EntityEvents() {}

  /**
   * A page of events.
   *
   * @param view reduces an event
   */
  record Events(Page<EntityEvent, Long> page, UnaryOperator<dev.hapax.v1.EntityEvent> view) {
    ListEntityEventsResponse response() {
      var response = ListEntityEventsResponse.newBuilder();
      var isAll =
          PageTokens.fill(
              page.items(),
              event -> view.apply(event(event)),
              (event, message) ->
                  response.addEvents(message).setNextPageToken(PageTokens.token(event.version())));
      return isAll && page.next().isEmpty()
          ? response.clearNextPageToken().build()
          : response.build();
    }
  }

  static CompletableFuture<Events> list(Entities entities, ListEntityEventsRequest request) {
    var view = HistoryViews.<dev.hapax.v1.EntityEvent>read(request.getView());
    return read(entities, request).thenApply(page -> new Events(page, view));
  }

  private static CompletableFuture<Page<EntityEvent, Long>> read(
      Entities entities, ListEntityEventsRequest request) {
    var id =
        EntityDecoding.id(request.getWorkspace(), request.getLifecycle(), request.getEntityId());
    var size = Page.size(request.getPageSize());
    var after = Math.max(request.getAfterVersion(), PageTokens.number(request.getPageToken()));
    return entities
        .events(id, after, size)
        .thenCompose(
            page ->
                page.items().isEmpty()
                    ? entities
                        .find(id)
                        .thenApply(found -> EntityErrors.required(id, found))
                        .thenApply(_ -> page)
                    : CompletableFuture.completedFuture(page));
  }

  private static dev.hapax.v1.EntityEvent event(EntityEvent event) {
    var message =
        dev.hapax.v1.EntityEvent.newBuilder()
            .setVersion(event.version())
            .setAt(Durations.encode(event.at()))
            .setActor(event.actor().name())
            .setPrincipal(event.actor().principal().text())
            .setStatus(event.status());
    describe(event.change(), message);
    return message.build();
  }

  private static void describe(EntityChange change, dev.hapax.v1.EntityEvent.Builder to) {
    switch (change) {
      case EntityChange.Created(_, var reason) ->
          to.setType(EntityEventType.ENTITY_EVENT_TYPE_CREATED)
              .setCreated(Created.newBuilder().setReason(reason));
      case EntityChange.ActionBegan(var grant) ->
          to.setType(EntityEventType.ENTITY_EVENT_TYPE_ACTION_BEGAN).setActionBegan(began(grant));
      case EntityChange.ActionCompleted completed ->
          to.setType(EntityEventType.ENTITY_EVENT_TYPE_ACTION_COMPLETED)
              .setActionCompleted(completed(completed));
      case EntityChange.ActionFailed(var kind, var text) ->
          to.setType(EntityEventType.ENTITY_EVENT_TYPE_ACTION_FAILED)
              .setActionFailed(ActionFailed.newBuilder().setKind(kind(kind)).setMessage(text));
      case EntityChange.ClaimReverted(var fence, var reason) ->
          to.setType(EntityEventType.ENTITY_EVENT_TYPE_CLAIM_REVERTED)
              .setClaimReverted(
                  ClaimReverted.newBuilder().setFence(fence.value()).setReason(reason));
      case EntityChange.RecoveryBegan(var grant) ->
          to.setType(EntityEventType.ENTITY_EVENT_TYPE_RECOVERY_BEGAN)
              .setRecoveryBegan(RecoveryBegan.newBuilder().setFence(grant.fence().value()));
      case EntityChange.Recovered(var verdict, var reason) ->
          to.setType(EntityEventType.ENTITY_EVENT_TYPE_RECOVERED)
              .setRecovered(Recovered.newBuilder().setOutcome(outcome(verdict)).setReason(reason));
      case EntityChange.ClaimReleased(var requestId, var reason, var fence, var verdict) ->
          to.setType(EntityEventType.ENTITY_EVENT_TYPE_CLAIM_RELEASED)
              .setClaimReleased(
                  ClaimReleased.newBuilder()
                      .setRequestId(requestId)
                      .setReason(reason)
                      .setOutcome(outcome(verdict))
                      .setFence(fence.value()));
      case EntityChange.Deleted(var requestId, var reason, var fence) ->
          to.setType(EntityEventType.ENTITY_EVENT_TYPE_DELETED)
              .setDeleted(
                  Deleted.newBuilder()
                      .setRequestId(requestId)
                      .setReason(reason)
                      .setFence(fence.value()));
    }
  }

  private static ActionBegan began(ActionGrant grant) {
    var move = grant.transition();
    var message =
        ActionBegan.newBuilder()
            .setStepKey(move.step())
            .setRequester(move.requester())
            .setRevertTo(grant.claim().revertTo())
            .setSuccessfulState(move.to())
            .setModule(grant.module())
            .setFence(grant.fence().value());
    move.action().ifPresent(message::setAction);
    move.effect().map(Effect::name).ifPresent(message::setAfterEffect);
    return message.build();
  }

  private static ActionCompleted completed(EntityChange.ActionCompleted completed) {
    var message =
        ActionCompleted.newBuilder()
            .setStepKey(completed.step())
            .setRequester(completed.requester())
            .setFence(completed.fence().value());
    completed.output().map(Payloads::encode).ifPresent(message::setOutput);
    return message.build();
  }

  private static dev.hapax.v1.ActionFailureKind kind(ActionFailureKind kind) {
    return switch (kind) {
      case FAILURE -> dev.hapax.v1.ActionFailureKind.ACTION_FAILURE_KIND_FAILURE;
      case INVALID -> dev.hapax.v1.ActionFailureKind.ACTION_FAILURE_KIND_INVALID;
      case EXCEPTION -> dev.hapax.v1.ActionFailureKind.ACTION_FAILURE_KIND_EXCEPTION;
    };
  }

  private static RecoveryOutcome outcome(RecoveryVerdict verdict) {
    return switch (verdict) {
      case COMPLETE -> RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE;
      case REVERT -> RecoveryOutcome.RECOVERY_OUTCOME_REVERT;
    };
  }
}
