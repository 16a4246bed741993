package dev.hapax.domain.entity;

import dev.hapax.domain.Fence;
import dev.hapax.domain.run.Actor;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The last deletion of an entity. An entity that is created again under its id continues from its
 * version and fence, so that both only rise.
 *
 * @param version of the deletion event, the last one of the entity
 * @param fence higher than each that the entity has granted
 * @param requestId the operator's nonce, so that a repeated call changes nothing
 * @param newEvents the events since the entity was loaded
 */
public record EntityDeletion(
    EntityId entity,
    long version,
    Fence fence,
    Instant at,
    String requestId,
    List<EntityEvent> newEvents) {
  public EntityDeletion {
    newEvents = List.copyOf(newEvents);
  }

  /**
   * Deletes the entity.
   *
   * @param last the previous deletion, if any
   */
  static EntityDeletion of(
      Entity deleted,
      Optional<EntityDeletion> last,
      String requestId,
      String reason,
      Instant now,
      Actor actor) {
    var change = new EntityChange.Deleted(requestId, reason, deleted.fence().next(now));
    var event = new EntityEvent(deleted.version() + 1, now, actor, deleted.status(), change);
    // earlier events of the same batch are written too: their versions conflict with other nodes
    var before =
        Stream.concat(
            last.stream().flatMap(deletion -> deletion.newEvents().stream()),
            deleted.newEvents().stream());
    return new EntityDeletion(
        deleted.id(),
        event.version(),
        change.fence(),
        now,
        requestId,
        Stream.concat(before, Stream.of(event)).toList());
  }
}
