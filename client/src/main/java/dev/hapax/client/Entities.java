package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.Pages;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.CreateEntityResponse;
import dev.hapax.v1.DeleteEntityRequest;
import dev.hapax.v1.DeleteEntityResponse;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.GetEntityRequest;
import dev.hapax.v1.GetEntityResponse;
import dev.hapax.v1.ListEntitiesRequest;
import dev.hapax.v1.ListEntitiesResponse;
import dev.hapax.v1.ListEntityEventsRequest;
import dev.hapax.v1.ListEntityEventsResponse;
import dev.hapax.v1.ReleaseClaimRequest;
import dev.hapax.v1.ReleaseClaimResponse;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Entities, such as invoices, and the actions on them, by one holder at a time. Thread-safe. An
 * entity is identified by the name of its lifecycle and an id of at most 255 characters.
 *
 * <pre>{@code
 * Receipt receipt =
 *     hapax.entities().act("invoice", "I-17", "pay", "admin", Receipt.class,
 *         claim -> bank.pay("I-17", claim.fence()));
 * }</pre>
 */
public final class Entities {

  private final Connection connection;

  Entities(Connection connection) {
    this.connection = connection;
  }

  /**
   * Acts on an entity as its only holder, and completes the action: the entity makes its
   * transition. The result is recorded in its history. Write {@link Claim#fence} with what the work
   * writes, and refuse lower ones there.
   *
   * @param step the {@code step_key} in the lifecycle
   * @param requester the role of the caller, such as {@code admin}; the lifecycle defines its steps
   * @throws E what the work throws: the entity returns to its former status. The history
   *     distinguishes {@link InvalidAction}, another {@link WorkFailure}, and other exceptions
   * @throws HapaxException of the kinds CLAIM_FAILED, WRONG_STATUS, NOT_ALLOWED and NEEDS_RECOVERY
   *     if the work did not begin, as after UNAVAILABLE and REFUSED; CLAIM_LOST and UNRECORDED
   */
  public <T extends @Nullable Object, E extends Exception> T act(
      String lifecycle,
      String id,
      String step,
      String requester,
      Class<T> type,
      Work<? extends T, E> work)
      throws E {
    return act(lifecycle, id, step, requester, Codec.json(type), work);
  }

  /** As {@link #act(String, String, String, String, Class, Work)}, with a codec. */
  public <T extends @Nullable Object, E extends Exception> T act(
      String lifecycle,
      String id,
      String step,
      String requester,
      Codec<T> codec,
      Work<? extends T, E> work)
      throws E {
    return tryAct(Action.of(lifecycle, id, step, requester), codec, work).orThrow();
  }

  /**
   * As {@link #act(String, String, String, String, Class, Work)}, with options, and returns each
   * outcome as a record.
   */
  public <T extends @Nullable Object, E extends Exception> ActOutcome<T> tryAct(
      Action action, Class<T> type, Work<? extends T, E> work) throws E {
    return tryAct(action, Codec.json(type), work);
  }

  /** As {@link #tryAct(Action, Class, Work)}, with a codec. */
  public <T extends @Nullable Object, E extends Exception> ActOutcome<T> tryAct(
      Action action, Codec<T> codec, Work<? extends T, E> work) throws E {
    return new Act<>(connection, action, codec).run(work);
  }

  /**
   * Creates an entity. One that exists is returned unchanged, whatever its status.
   *
   * @param status the first status; no claim state
   */
  public Entity create(String lifecycle, String id, String status) {
    return create(lifecycle, id, status, "");
  }

  /**
   * As {@link #create(String, String, String)}.
   *
   * @param reason for the history; at most 255 characters
   */
  public Entity create(String lifecycle, String id, String status, String reason) {
    return new Entity(
        connection
            .call(
                CreateEntityRequest.newBuilder()
                    .setWorkspace(connection.workspace())
                    .setLifecycle(lifecycle)
                    .setEntityId(id)
                    .setStatus(status)
                    .setActor(connection.actor())
                    .setReason(KeyText.check("reason", reason))
                    .build(),
                CreateEntityResponse.getDefaultInstance())
            .getEntity());
  }

  /**
   * Returns the current entity.
   *
   * @throws HapaxException.Refused with ENTITY_NOT_FOUND
   */
  public Entity get(String lifecycle, String id) {
    return get(connection, lifecycle, id);
  }

  static Entity get(Connection connection, String lifecycle, String id) {
    return new Entity(
        connection
            .call(
                GetEntityRequest.newBuilder()
                    .setWorkspace(connection.workspace())
                    .setLifecycle(lifecycle)
                    .setEntityId(id)
                    .build(),
                GetEntityResponse.getDefaultInstance())
            .getEntity());
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
            .setWorkspace(connection.workspace())
            .setLifecycle(lifecycle)
            .addAllStatuses(List.of(statuses))
            .setPageSize(Pages.SIZE)
            .build();
    return Pages.all(
            token ->
                connection.call(
                    request.toBuilder().setPageToken(token).build(),
                    ListEntitiesResponse.getDefaultInstance()),
            ListEntitiesResponse::getEntitiesList,
            ListEntitiesResponse::getNextPageToken)
        .map(Entity::new);
  }

  /**
   * Lists the events of an entity after a version, oldest first and without gaps, loaded as they
   * are read.
   *
   * @param afterVersion 0 = from the first event
   */
  public Stream<EntityEvent> history(String lifecycle, String id, long afterVersion) {
    ListEntityEventsRequest request =
        ListEntityEventsRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setLifecycle(lifecycle)
            .setEntityId(id)
            .setAfterVersion(afterVersion)
            .setPageSize(Pages.SIZE)
            .build();
    return Pages.all(
        token ->
            connection.call(
                request.toBuilder().setPageToken(token).build(),
                ListEntityEventsResponse.getDefaultInstance()),
        ListEntityEventsResponse::getEventsList,
        ListEntityEventsResponse::getNextPageToken);
  }

  /**
   * Deletes an entity with its history; the event of the deletion stays.
   *
   * @return false if there is no such entity
   * @throws HapaxException.Refused with ENTITY_CLAIMED while a holder or a recovery has it
   */
  public boolean delete(String lifecycle, String id, Control control) {
    return connection
        .call(
            DeleteEntityRequest.newBuilder()
                .setWorkspace(connection.workspace())
                .setLifecycle(lifecycle)
                .setEntityId(id)
                .setRequestId(control.requestId())
                .setReason(control.reason())
                .setExpectedVersion(control.expectedVersion())
                .setActor(connection.actor())
                .build(),
            DeleteEntityResponse.getDefaultInstance())
        .getDeleted();
  }

  /**
   * Takes an entity from its holder or its recovery, on behalf of an operator: it returns to its
   * former status.
   *
   * @return the entity after the release
   * @throws HapaxException.Refused with NOT_CLAIMED if it has neither
   */
  public Entity release(String lifecycle, String id, Control control) {
    return release(lifecycle, id, control, Verdict.REVERT);
  }

  /**
   * As {@link #release(String, String, Control)}, for an operator who knows whether the action took
   * effect.
   */
  public Entity release(String lifecycle, String id, Control control, Verdict verdict) {
    return new Entity(
        connection
            .call(
                ReleaseClaimRequest.newBuilder()
                    .setWorkspace(connection.workspace())
                    .setLifecycle(lifecycle)
                    .setEntityId(id)
                    .setRequestId(control.requestId())
                    .setReason(control.reason())
                    .setExpectedVersion(control.expectedVersion())
                    .setActor(connection.actor())
                    .setOutcome(verdict.message())
                    .build(),
                ReleaseClaimResponse.getDefaultInstance())
            .getEntity());
  }
}
