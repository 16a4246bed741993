package dev.hapax.domain.entity;

import dev.hapax.domain.Fence;
import dev.hapax.domain.run.Actor;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The last deletion of an entity. An entity that is created again under its id goes on behind it,
 * so that its versions and fences still only rise.
 *
 * @param version of the event that tells of it, the last one of the entity
 * @param fence higher than each that the entity has given
 * @param requestId the operator's nonce, so that the same call again changes nothing
 * @param news what has happened since the entity was loaded
 */
public record EntityDeletion(
    EntityId entity,
    long version,
    Fence fence,
    Instant at,
    String requestId,
    List<EntityEvent> news) {
  public EntityDeletion {
    news = List.copyOf(news);
  }

  /**
   * A deletion now.
   *
   * @param last the one before it, if there was one
   */
  static EntityDeletion of(
      Entity deleted,
      Optional<EntityDeletion> last,
      String requestId,
      String reason,
      Instant now,
      Actor by) {
    var change = new EntityChange.Deleted(requestId, reason, deleted.fence().next(now));
    var event = new EntityEvent(deleted.version() + 1, now, by, deleted.status(), change);
    // earlier events of the same batch are written too: rival nodes collide at their versions
    var before =
        Stream.concat(
            last.stream().flatMap(deletion -> deletion.news().stream()), deleted.news().stream());
    return new EntityDeletion(
        deleted.id(),
        event.version(),
        change.fence(),
        now,
        requestId,
        Stream.concat(before, Stream.of(event)).toList());
  }
}
