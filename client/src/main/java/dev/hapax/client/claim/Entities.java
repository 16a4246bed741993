package dev.hapax.client.claim;

import dev.hapax.client.ControlOptions;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.DrawnIds;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.Pages;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.EntityRpcs;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.CreateEntityResponse;
import dev.hapax.v1.DeleteEntityRequest;
import dev.hapax.v1.Entity;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.GetEntityRequest;
import dev.hapax.v1.ListEntitiesRequest;
import dev.hapax.v1.ListEntitiesResponse;
import dev.hapax.v1.ListEntityEventsRequest;
import dev.hapax.v1.ListEntityEventsResponse;
import dev.hapax.v1.ReleaseClaimRequest;
import java.util.List;
import java.util.stream.Stream;

/**
 * Creates, reads, releases and deletes entities. Thread-safe. See {@link HapaxClient} for
 * exceptions and retries.
 */
public final class Entities {

  private final UnaryCalls calls;
  private final String workspace;
  private final String actor;

  /** Internal; see {@link HapaxClient#entities}. */
  public Entities(ClientConnection connection) {
    this.calls = connection.unaryCalls();
    this.workspace = connection.options().workspace();
    this.actor = connection.options().actor();
  }

  /**
   * Creates an entity. An existing one is returned unchanged, with {@code already}, whatever its
   * status.
   *
   * @param status the first status; no claim state
   */
  public CreateEntityResponse create(EntityKey entity, String status) {
    return create(entity, status, "");
  }

  /**
   * As {@link #create(EntityKey, String)}.
   *
   * @param reason for the history; at most 255 characters
   */
  public CreateEntityResponse create(EntityKey entity, String status, String reason) {
    CreateEntityRequest request =
        CreateEntityRequest.newBuilder()
            .setWorkspace(workspace)
            .setLifecycle(entity.lifecycle())
            .setEntityId(entity.id())
            .setStatus(status)
            .setActor(actor)
            .setReason(KeyText.check("reason", reason))
            .build();
    return UnaryCalls.await(calls.send(EntityRpcs.CREATE_ENTITY, request));
  }

  /** Returns the current entity. */
  public Entity get(EntityKey entity) {
    GetEntityRequest request =
        GetEntityRequest.newBuilder()
            .setWorkspace(workspace)
            .setLifecycle(entity.lifecycle())
            .setEntityId(entity.id())
            .build();
    return UnaryCalls.await(calls.send(EntityRpcs.GET_ENTITY, request)).getEntity();
  }

  /**
   * Lists the entities of a lifecycle by id, loaded as they are read.
   *
   * @param lifecycle empty = all lifecycles, by lifecycle and id
   * @param statuses only entities in one of these; none = any status
   */
  public Stream<Entity> list(String lifecycle, String... statuses) {
    ListEntitiesRequest request =
        ListEntitiesRequest.newBuilder()
            .setWorkspace(workspace)
            .setLifecycle(lifecycle)
            .addAllStatuses(List.of(statuses))
            .setPageSize(Pages.SIZE)
            .build();
    return Pages.all(
        token ->
            UnaryCalls.await(
                calls.send(
                    EntityRpcs.LIST_ENTITIES, request.toBuilder().setPageToken(token).build())),
        ListEntitiesResponse::getEntitiesList,
        ListEntitiesResponse::getNextPageToken);
  }

  /**
   * Lists the events of an entity after a version, oldest first and without gaps, loaded as they
   * are read.
   *
   * @param afterVersion 0 = from the first event
   */
  public Stream<EntityEvent> history(EntityKey entity, long afterVersion) {
    ListEntityEventsRequest request =
        ListEntityEventsRequest.newBuilder()
            .setWorkspace(workspace)
            .setLifecycle(entity.lifecycle())
            .setEntityId(entity.id())
            .setAfterVersion(afterVersion)
            .setPageSize(Pages.SIZE)
            .build();
    return Pages.all(
        token ->
            UnaryCalls.await(
                calls.send(
                    EntityRpcs.LIST_ENTITY_EVENTS,
                    request.toBuilder().setPageToken(token).build())),
        ListEntityEventsResponse::getEventsList,
        ListEntityEventsResponse::getNextPageToken);
  }

  /**
   * Deletes an entity with its history; the event of the deletion stays. Rejected with
   * ENTITY_CLAIMED while a holder or a recovery has it.
   *
   * @return false if there is no such entity
   */
  public boolean delete(EntityKey entity, ControlOptions change) {
    DeleteEntityRequest request =
        DeleteEntityRequest.newBuilder()
            .setWorkspace(workspace)
            .setLifecycle(entity.lifecycle())
            .setEntityId(entity.id())
            .setRequestId(DrawnIds.requestId(change.requestId()))
            .setReason(change.reason())
            .setExpectedVersion(change.expectedVersion())
            .setActor(actor)
            .build();
    return UnaryCalls.await(calls.send(EntityRpcs.DELETE_ENTITY, request)).getDeleted();
  }

  /**
   * Takes an entity from its holder or its recovery, on behalf of an operator: it returns to its
   * former status. Rejected with NOT_CLAIMED if it has neither.
   *
   * @return the entity after the release
   */
  public Entity release(EntityKey entity, ControlOptions change) {
    return release(entity, change, RecoveryVerdict.REVERT);
  }

  /**
   * As {@link #release(EntityKey, ControlOptions)}, for an operator who knows the result of the
   * action.
   *
   * @param outcome with COMPLETE the entity goes to the step's {@code successful_state}, and the
   *     after-effect starts
   */
  public Entity release(EntityKey entity, ControlOptions change, RecoveryVerdict outcome) {
    ReleaseClaimRequest request =
        ReleaseClaimRequest.newBuilder()
            .setWorkspace(workspace)
            .setLifecycle(entity.lifecycle())
            .setEntityId(entity.id())
            .setRequestId(DrawnIds.requestId(change.requestId()))
            .setReason(change.reason())
            .setExpectedVersion(change.expectedVersion())
            .setActor(actor)
            .setOutcome(outcome.toProto())
            .build();
    return UnaryCalls.await(calls.send(EntityRpcs.RELEASE_CLAIM, request)).getEntity();
  }
}
