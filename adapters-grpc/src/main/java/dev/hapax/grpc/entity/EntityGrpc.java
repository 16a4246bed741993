package dev.hapax.grpc.entity;

import dev.hapax.application.entity.Entities;
import dev.hapax.application.operation.Operations;
import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.CancellableFutures;
import dev.hapax.domain.Page;
import dev.hapax.domain.Payload;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.CompleteAction;
import dev.hapax.domain.entity.CreateEntityOutcome;
import dev.hapax.domain.entity.DeleteEntityOutcome;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.FailAction;
import dev.hapax.domain.entity.RenewAction;
import dev.hapax.domain.lifecycle.Retirement;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.grpc.call.Call;
import dev.hapax.grpc.call.Errors;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.grpc.lifecycle.LifecycleErrors;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** EntityService: decodes, calls, encodes. */
public final class EntityGrpc implements EntityServiceGrpc.AsyncService, BindableService {
  private final Entities entities;
  private final ClaimList held;
  private final ActionClaims claims;
  private final ActionOutcomes outcomes;

  public EntityGrpc(Entities entities, Operations operations, Runs runs, KeyedIds identities) {
    this.entities = entities;
    this.held = new ClaimList(entities, operations, runs);
    this.claims = new ActionClaims(identities);
    this.outcomes = new ActionOutcomes(claims);
  }

  @Override
  public ServerServiceDefinition bindService() {
    return EntityServiceGrpc.bindService(this);
  }

  @Override
  public void createEntity(
      CreateEntityRequest request, StreamObserver<CreateEntityResponse> caller) {
    Call.answer(
        caller,
        () -> entities.create(EntityDecoding.creation(request), patience()),
        outcome -> created(request, outcome));
  }

  /** How long a call may wait while a lifecycle is being changed. */
  private static Duration patience() {
    return Call.withinDeadline(Retirement.TIME);
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
              "\"%s\" is a claim state: only a claim leads there".formatted(request.getStatus()));
      case CreateEntityOutcome.Changing _ -> throw LifecycleErrors.changing(request.getLifecycle());
    };
  }

  private static RuntimeException status(String rule) {
    return new InvalidFieldException("status", Errors.cut(rule));
  }

  @Override
  public void getEntity(GetEntityRequest request, StreamObserver<GetEntityResponse> caller) {
    Call.answer(
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
    Call.answer(caller, () -> entities.list(EntityDecoding.query(request)), EntityGrpc::page);
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
    Call.answer(caller, () -> EntityEvents.list(entities, request), Function.identity());
  }

  @Override
  public void beginAction(BeginActionRequest request, StreamObserver<BeginActionResponse> caller) {
    Call.answer(
        caller,
        () ->
            entities.begin(
                EntityDecoding.begin(request),
                Call.withinDeadline(EntityDecoding.patience(request)),
                patience()),
        outcome -> outcomes.begun(request, outcome));
  }

  @Override
  public void renewAction(RenewActionRequest request, StreamObserver<RenewActionResponse> caller) {
    Call.answer(
        caller,
        () -> {
          var lease = EntityDecoding.lease(request);
          return claims
              .read(request.getWorkspace(), request.getClaim())
              .call(
                  granted -> renew(granted, lease),
                  lost -> RenewActionResponse.newBuilder().setClaimLost(lost).build());
        },
        Function.identity());
  }

  private CompletableFuture<RenewActionResponse> renew(
      ActionClaims.Granted granted, Optional<Duration> lease) {
    var claim = granted.claim();
    return entities
        .renew(new RenewAction(claim, lease.orElse(granted.lease())))
        .thenApply(outcome -> ActionOutcomes.renewed(claim.entity().workspace(), outcome));
  }

  private static <R> CompletableFuture<R> done(R response) {
    return CompletableFuture.completedFuture(response);
  }

  @Override
  public void completeAction(
      CompleteActionRequest request, StreamObserver<CompleteActionResponse> caller) {
    Call.answer(
        caller,
        () -> {
          var actor = FieldReader.name("actor", request.getActor());
          var output = Payloads.read("output", request.hasOutput(), request.getOutput());
          return claims
              .read(request.getWorkspace(), request.getClaim())
              .call(
                  granted -> complete(granted.claim(), output, actor),
                  lost -> CompleteActionResponse.newBuilder().setClaimLost(lost).build());
        },
        Function.identity());
  }

  private CompletableFuture<CompleteActionResponse> complete(
      ActionClaim claim, Optional<Payload> output, String actor) {
    var by = EntityDecoding.by(actor, claim.requester());
    var effect = entities.draw(claim.entity().workspace());
    return CancellableFutures.then(
        entities.complete(new CompleteAction(claim, output, effect, by), patience()),
        outcome -> done(ActionOutcomes.completed(claim.entity(), outcome)));
  }

  @Override
  public void failAction(FailActionRequest request, StreamObserver<FailActionResponse> caller) {
    Call.answer(
        caller,
        () -> {
          var command = EntityDecoding.failure(request);
          return claims
              .read(request.getWorkspace(), request.getClaim())
              .call(
                  granted -> fail(command.apply(granted.claim())),
                  lost -> FailActionResponse.newBuilder().setClaimLost(lost).build());
        },
        Function.identity());
  }

  private CompletableFuture<FailActionResponse> fail(FailAction command) {
    var workspace = command.entity().workspace();
    return entities.fail(command).thenApply(outcome -> ActionOutcomes.failed(workspace, outcome));
  }

  @Override
  public void listClaims(ListClaimsRequest request, StreamObserver<ListClaimsResponse> caller) {
    Call.answer(caller, () -> held.list(request), Function.identity());
  }

  @Override
  public void releaseClaim(
      ReleaseClaimRequest request, StreamObserver<ReleaseClaimResponse> caller) {
    Call.answer(
        caller,
        () -> {
          var workspace = FieldReader.workspace(request.getWorkspace());
          var command = EntityDecoding.release(request).apply(entities.draw(workspace));
          return entities
              .release(command)
              .thenApply(outcome -> ActionOutcomes.released(command.entity(), outcome));
        },
        Function.identity());
  }

  @Override
  public void deleteEntity(
      DeleteEntityRequest request, StreamObserver<DeleteEntityResponse> caller) {
    Call.answer(
        caller,
        () -> entities.delete(EntityDecoding.deletion(request)),
        outcome ->
            switch (outcome) {
              case DeleteEntityOutcome.Deleted(var already) ->
                  DeleteEntityResponse.newBuilder().setDeleted(true).setAlready(already).build();
              case DeleteEntityOutcome.Absent _ -> DeleteEntityResponse.getDefaultInstance();
              case DeleteEntityOutcome.Claimed(var entity) -> throw EntityErrors.claimed(entity);
              case DeleteEntityOutcome.Moved(var entity) -> throw EntityErrors.moved(entity);
            });
  }
}
