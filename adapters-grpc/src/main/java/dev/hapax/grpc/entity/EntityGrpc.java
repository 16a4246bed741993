package dev.hapax.grpc.entity;

import dev.hapax.application.entity.Entities;
import dev.hapax.application.entity.HeldClaims;
import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.ActionClaimLost;
import dev.hapax.domain.entity.CompleteAction;
import dev.hapax.domain.entity.CreateEntityOutcome;
import dev.hapax.domain.entity.DeleteEntityOutcome;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.RenewAction;
import dev.hapax.domain.lifecycle.Retirement;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.grpc.call.PresentedClaim;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.grpc.call.Unary;
import dev.hapax.grpc.call.WaitField;
import dev.hapax.grpc.lifecycle.LifecycleErrors;
import dev.hapax.grpc.trace.TraceHeader;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteActionResponse;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.CreateEntityResponse;
import dev.hapax.v1.DeleteEntityRequest;
import dev.hapax.v1.DeleteEntityResponse;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.FailActionResponse;
import dev.hapax.v1.GetEntityRequest;
import dev.hapax.v1.GetEntityResponse;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.ListClaimsResponse;
import dev.hapax.v1.ListEntitiesRequest;
import dev.hapax.v1.ListEntitiesResponse;
import dev.hapax.v1.ListEntityEventsRequest;
import dev.hapax.v1.ListEntityEventsResponse;
import dev.hapax.v1.ReleaseClaimRequest;
import dev.hapax.v1.ReleaseClaimResponse;
import dev.hapax.v1.RenewActionRequest;
import dev.hapax.v1.RenewActionResponse;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import java.time.Duration;

/** EntityService: decodes, calls, encodes. */
public final class EntityGrpc implements EntityServiceGrpc.AsyncService, BindableService {
  private final Entities entities;
  private final HeldClaims held;
  private final ActionClaims claims;
  private final ActionOutcomes outcomes;
  private final RandomValues random;

  public EntityGrpc(Entities entities, HeldClaims held, KeyedIds keyedIds, RandomValues random) {
    this.entities = entities;
    this.held = held;
    this.claims = new ActionClaims(keyedIds);
    this.outcomes = new ActionOutcomes(claims);
    this.random = random;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return EntityServiceGrpc.bindService(this);
  }

  @Override
  public void createEntity(
      CreateEntityRequest request, StreamObserver<CreateEntityResponse> caller) {
    Unary.respond(
        caller,
        () -> entities.create(EntityDecoding.creation(request), lifecycleWait()),
        outcome -> created(request, outcome));
  }

  /** The longest wait of a call for the end of a lifecycle change. */
  private static Duration lifecycleWait() {
    return Unary.withinDeadline(Retirement.TIME);
  }

  private static CreateEntityResponse created(
      CreateEntityRequest request, CreateEntityOutcome outcome) {
    return switch (outcome) {
      case CreateEntityOutcome.There(var entity, var created) ->
          CreateEntityResponse.newBuilder()
              .setEntity(EntityEncoding.entity(entity))
              .setAlready(!created)
              .build();
      case CreateEntityOutcome.NoLifecycle _ ->
          throw LifecycleErrors.notFound(request.getLifecycle());
      case CreateEntityOutcome.UnknownStatus _ ->
          throw status(
              "\"%s\" is not in the status_types of lifecycle \"%s\""
                  .formatted(request.getStatus(), request.getLifecycle()));
      case CreateEntityOutcome.ClaimState _ ->
          throw status(
              "\"%s\" is a claim state, which only an action can set"
                  .formatted(request.getStatus()));
      case CreateEntityOutcome.Changing _ -> throw LifecycleErrors.changing(request.getLifecycle());
    };
  }

  private static RuntimeException status(String rule) {
    return new InvalidFieldException("status", GrpcErrors.cut(rule));
  }

  @Override
  public void getEntity(GetEntityRequest request, StreamObserver<GetEntityResponse> caller) {
    Unary.respond(
        caller,
        () -> {
          var id =
              EntityDecoding.id(
                  request.getWorkspace(), request.getLifecycle(), request.getEntityId());
          return entities.find(id).thenApply(found -> EntityErrors.required(id, found));
        },
        entity -> GetEntityResponse.newBuilder().setEntity(EntityEncoding.entity(entity)).build());
  }

  @Override
  public void listEntities(
      ListEntitiesRequest request, StreamObserver<ListEntitiesResponse> caller) {
    Unary.respond(caller, () -> entities.list(EntityDecoding.query(request)), EntityGrpc::page);
  }

  private static ListEntitiesResponse page(Page<Entity, EntityId> page) {
    var response = ListEntitiesResponse.newBuilder();
    var isAll =
        PageTokens.fill(
            page.items(),
            EntityEncoding::entity,
            (entity, message) ->
                response.addEntities(message).setNextPageToken(EntityDecoding.token(entity.id())));
    return isAll && page.next().isEmpty()
        ? response.clearNextPageToken().build()
        : response.build();
  }

  @Override
  public void listEntityEvents(
      ListEntityEventsRequest request, StreamObserver<ListEntityEventsResponse> caller) {
    Unary.respond(
        caller, () -> EntityEvents.list(entities, request), EntityEvents.Events::response);
  }

  @Override
  public void beginAction(BeginActionRequest request, StreamObserver<BeginActionResponse> caller) {
    Unary.respond(
        caller,
        () ->
            entities.begin(
                EntityDecoding.begin(request, random), WaitField.read(request), lifecycleWait()),
        outcome -> outcomes.begun(request, outcome));
  }

  @Override
  public void renewAction(RenewActionRequest request, StreamObserver<RenewActionResponse> caller) {
    Unary.respond(
        caller,
        () -> renewal(request),
        renewal -> renewal.call(entities::renew, EntityGrpc::unknownClaim),
        ActionOutcomes::renewed);
  }

  private PresentedClaim<RenewAction> renewal(RenewActionRequest request) {
    var lease = EntityDecoding.lease(request);
    return claims
        .read(request.getWorkspace(), request.getClaim())
        .map(granted -> new RenewAction(granted.claim(), lease.orElse(granted.lease())));
  }

  private static ActionClaimLost unknownClaim(Workspace workspace) {
    return new ActionClaimLost(ActionClaimLost.Reason.UNKNOWN_CLAIM);
  }

  @Override
  public void completeAction(
      CompleteActionRequest request, StreamObserver<CompleteActionResponse> caller) {
    Unary.respond(
        caller,
        () -> completion(request),
        completion ->
            completion.call(
                command -> entities.complete(command, lifecycleWait()), EntityGrpc::unknownClaim),
        ActionOutcomes::completed);
  }

  private PresentedClaim<CompleteAction> completion(CompleteActionRequest request) {
    var actor = request.getActor();
    var output = Payloads.decode(request.hasOutput(), request.getOutput());
    return claims
        .read(request.getWorkspace(), request.getClaim())
        .map(ActionClaims.Granted::claim)
        .map(
            claim ->
                new CompleteAction(
                    claim,
                    output,
                    entities.draw(claim.entity().workspace()),
                    TraceHeader.current(),
                    CallerReader.actor(actor, claim.requester())));
  }

  @Override
  public void failAction(FailActionRequest request, StreamObserver<FailActionResponse> caller) {
    Unary.respond(
        caller,
        () -> {
          var command = EntityDecoding.failure(request);
          return claims
              .read(request.getWorkspace(), request.getClaim())
              .map(ActionClaims.Granted::claim)
              .map(command);
        },
        failure -> failure.call(entities::fail, EntityGrpc::unknownClaim),
        ActionOutcomes::failed);
  }

  @Override
  public void listClaims(ListClaimsRequest request, StreamObserver<ListClaimsResponse> caller) {
    Unary.respond(
        caller,
        () -> {
          var list = HeldClaimDecoding.read(request);
          return held.list(list.query(), list.from());
        },
        HeldClaimEncoding::page);
  }

  @Override
  public void releaseClaim(
      ReleaseClaimRequest request, StreamObserver<ReleaseClaimResponse> caller) {
    Unary.respond(
        caller,
        () -> {
          var workspace = FieldReader.workspace(request.getWorkspace());
          return EntityDecoding.release(request).apply(entities.draw(workspace));
        },
        entities::release,
        ActionOutcomes::released);
  }

  @Override
  public void deleteEntity(
      DeleteEntityRequest request, StreamObserver<DeleteEntityResponse> caller) {
    Unary.respond(
        caller,
        () -> entities.delete(EntityDecoding.deletion(request)),
        outcome ->
            switch (outcome) {
              case DeleteEntityOutcome.Deleted(var already) ->
                  DeleteEntityResponse.newBuilder().setDeleted(true).setAlready(already).build();
              case DeleteEntityOutcome.Absent _ -> DeleteEntityResponse.getDefaultInstance();
              case DeleteEntityOutcome.Claimed(var entity) -> throw EntityErrors.claimed(entity);
              case DeleteEntityOutcome.Moved(var entity) ->
                  throw EntityErrors.versionConflict(entity);
            });
  }
}
