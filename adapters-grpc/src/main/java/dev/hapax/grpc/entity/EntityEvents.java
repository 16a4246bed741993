package dev.hapax.grpc.entity;

import dev.hapax.application.entity.Entities;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Page;
import dev.hapax.domain.entity.ActionFailureKind;
import dev.hapax.domain.entity.ActionGrant;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.domain.lifecycle.Effect;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Fields;
import dev.hapax.grpc.call.Pages;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.v1.EntityEvent.Details;
import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.ListEntityEventsRequest;
import dev.hapax.v1.ListEntityEventsResponse;
import dev.hapax.v1.RecoveryOutcome;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** ListEntityEvents on the wire. */
final class EntityEvents {
  private EntityEvents() {}

  static CompletableFuture<ListEntityEventsResponse> list(
      Entities entities, ListEntityEventsRequest request) {
    var id =
        EntityDecoding.id(request.getWorkspace(), request.getLifecycle(), request.getEntityId());
    var size = Fields.read("page_size", request.getPageSize(), Page::size);
    var after =
        Math.max(
            Fields.version("after_version", request.getAfterVersion()),
            Pages.position(request.getPageToken(), EntityEvents::position).orElse(0L));
    return entities
        .events(id, after, size)
        .thenCompose(
            page ->
                page.items().isEmpty()
                    ? entities
                        .find(id)
                        .thenApply(found -> EntityErrors.required(id, found))
                        .thenApply(_ -> page(page))
                    : CompletableFuture.completedFuture(page(page)));
  }

  private static long position(ByteBuffer token) {
    var position = token.getLong();
    if (position < 0) {
      throw new InvalidValueException("is before the first");
    }
    return position;
  }

  private static ListEntityEventsResponse page(Page<EntityEvent, Long> page) {
    var response = ListEntityEventsResponse.newBuilder();
    var isAll =
        Pages.fill(
            page.items(),
            EntityEvents::event,
            (event, message) ->
                response
                    .addEvents(message)
                    .setNextPageToken(
                        Pages.token(ByteBuffer.allocate(Long.BYTES).putLong(event.version()))));
    return isAll && page.next().isEmpty()
        ? response.clearNextPageToken().build()
        : response.build();
  }

  private static dev.hapax.v1.EntityEvent event(EntityEvent event) {
    var message =
        dev.hapax.v1.EntityEvent.newBuilder()
            .setVersion(event.version())
            .setAt(Durations.encode(event.at()))
            .setType(type(event.change()))
            .setActor(event.by().actor())
            .setStatus(event.status());
    describe(event.change(), message.getDetailsBuilder());
    return message.build();
  }

  private static EntityEventType type(EntityChange change) {
    return switch (change) {
      case EntityChange.Created _ -> EntityEventType.ENTITY_EVENT_TYPE_CREATED;
      case EntityChange.ActionBegan _ -> EntityEventType.ENTITY_EVENT_TYPE_ACTION_BEGAN;
      case EntityChange.ActionCompleted _ -> EntityEventType.ENTITY_EVENT_TYPE_ACTION_COMPLETED;
      case EntityChange.ActionFailed _ -> EntityEventType.ENTITY_EVENT_TYPE_ACTION_FAILED;
      case EntityChange.ClaimReverted _ -> EntityEventType.ENTITY_EVENT_TYPE_CLAIM_REVERTED;
      case EntityChange.RecoveryBegan _ -> EntityEventType.ENTITY_EVENT_TYPE_RECOVERY_BEGAN;
      case EntityChange.Recovered _ -> EntityEventType.ENTITY_EVENT_TYPE_RECOVERED;
      case EntityChange.ClaimReleased _ -> EntityEventType.ENTITY_EVENT_TYPE_CLAIM_RELEASED;
      case EntityChange.Deleted _ -> EntityEventType.ENTITY_EVENT_TYPE_DELETED;
    };
  }

  private static void describe(EntityChange change, Details.Builder to) {
    switch (change) {
      case EntityChange.Created _ -> {}
      case EntityChange.ActionBegan(var grant) -> began(grant, to);
      case EntityChange.ActionCompleted(
          var step,
          var requester,
          _,
          var fence,
          var output) -> {
        to.setStepKey(step).setRequester(requester).setFence(fence.value());
        output.map(Payloads::encode).ifPresent(to::setOutput);
      }
      case EntityChange.ActionFailed(var kind, var message) ->
          to.setKind(kind(kind)).setMessage(message);
      case EntityChange.ClaimReverted(var fence) -> to.setFence(fence.value());
      case EntityChange.RecoveryBegan(var grant) -> to.setFence(grant.fence().value());
      case EntityChange.Recovered(var verdict) -> to.setOutcome(outcome(verdict));
      case EntityChange.ClaimReleased(
          var requestId,
          var reason,
          var fence,
          var verdict) ->
          to.setRequestId(requestId)
              .setReason(reason)
              .setFence(fence.value())
              .setOutcome(outcome(verdict));
      case EntityChange.Deleted(var requestId, var reason, var fence) ->
          to.setRequestId(requestId).setReason(reason).setFence(fence.value());
    }
  }

  private static void began(ActionGrant grant, Details.Builder to) {
    var move = grant.move();
    to.setStepKey(move.step())
        .setRequester(move.requester())
        .setRevertTo(grant.claim().revertTo())
        .setSuccessfulState(move.to())
        .setModule(grant.module())
        .setFence(grant.fence().value());
    move.action().ifPresent(to::setAction);
    move.effect().map(Effect::name).ifPresent(to::setAfterEffect);
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
