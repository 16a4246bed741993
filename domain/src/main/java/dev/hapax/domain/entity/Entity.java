package dev.hapax.domain.entity;

import dev.hapax.domain.Fence;
import dev.hapax.domain.run.Actor;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An entity: the state that results from its history.
 *
 * @param version the number of its last event
 * @param fence the highest fence that it has granted
 * @param hold its claim state
 * @param last the end of the last grant
 * @param released the request id of the last release by an operator
 * @param newEvents the events since it was loaded
 */
public record Entity(
    EntityId id,
    String status,
    long version,
    Fence fence,
    ClaimState hold,
    Optional<EndedGrant> last,
    Optional<String> released,
    Instant createdAt,
    List<EntityEvent> newEvents) {
  public Entity {
    newEvents = List.copyOf(newEvents);
  }

  /** A new entity with its first event. */
  public static Entity created(EntityId id, EntityChange.Created change, Instant now, Actor actor) {
    return created(id, change, 1, Fence.first(now), now, actor);
  }

  /** A new entity under the id of a deleted one. */
  static Entity createdAgain(
      EntityDeletion before, EntityChange.Created change, Instant now, Actor actor) {
    var fence = before.fence().next(now);
    return created(before.entity(), change, before.version() + 1, fence, now, actor);
  }

  private static Entity created(
      EntityId id,
      EntityChange.Created change,
      long version,
      Fence fence,
      Instant now,
      Actor actor) {
    var event = new EntityEvent(version, now, actor, change.status(), change);
    return new Entity(
        id,
        change.status(),
        version,
        fence,
        new ClaimState.Free(),
        Optional.empty(),
        Optional.empty(),
        now,
        List.of(event));
  }

  /** The claim on it, by a caller or a recovery. */
  public Optional<ClaimState.Held> held() {
    return hold instanceof ClaimState.Held held ? Optional.of(held) : Optional.empty();
  }

  /** The claim of a caller. */
  public Optional<ClaimState.Claimed> claimed() {
    return hold instanceof ClaimState.Claimed claimed ? Optional.of(claimed) : Optional.empty();
  }

  /** The claim of a recovery. */
  public Optional<ClaimState.Recovering> recovering() {
    return hold instanceof ClaimState.Recovering recovering
        ? Optional.of(recovering)
        : Optional.empty();
  }

  /** The proof of the caller that holds it. */
  public Optional<ActionClaim> claim() {
    return claimed().map(held -> ActionClaim.exclusive(this, held.action()));
  }

  /** The proof of the recovery that holds it. */
  public Optional<RecoveryClaim> recovery() {
    return recovering().map(held -> RecoveryClaim.of(this, held));
  }

  /** When its lease expires, if it is held. */
  public Optional<Instant> due() {
    return held().map(ClaimState.Held::leaseUntil);
  }

  Optional<ClaimState.Claimed> heldBy(ActionClaim claim) {
    return claimed()
        .filter(
            held ->
                held.action().nonce() == claim.nonce()
                    && held.action().fence().equals(claim.fence()));
  }

  Optional<ClaimState.Recovering> heldBy(RecoveryClaim claim) {
    return recovering()
        .filter(
            held ->
                held.recovery().nonce() == claim.nonce()
                    && held.recovery().fence().equals(claim.fence()));
  }

  /** Whether this claim, which is not exclusive, is still valid. */
  boolean isOpenFor(ActionClaim claim) {
    return version == claim.version() && fence.compareTo(claim.fence()) < 0;
  }

  /** This entity with a fence that invalidates all non-exclusive claims granted so far. */
  Entity pastFence(ActionClaim claim) {
    return new Entity(
        id, status, version, claim.fence(), hold, last, released, createdAt, newEvents);
  }

  static Duration remaining(Instant until, Instant now) {
    var remaining = Duration.between(now, until);
    return remaining.isNegative() ? Duration.ZERO : remaining;
  }

  /** This entity reverted after its lease expired; the fence rises, too. */
  Entity reverted(Instant now, Actor actor, String reason) {
    return then(new EntityChange.ClaimReverted(fence.next(now), reason), now, actor);
  }

  /** This entity with one more event. */
  Entity then(EntityChange change, Instant now, Actor actor) {
    var after = new EntityFold(this, version + 1, now, actor, change).after();
    var event = new EntityEvent(after.version, now, actor, after.status, change);
    return after.with(Stream.concat(newEvents.stream(), Stream.of(event)).toList());
  }

  /** This entity after an event of its history. */
  public Entity after(EntityEvent event) {
    return new EntityFold(this, event.version(), event.at(), event.actor(), event.change()).after();
  }

  /** This entity with another claim state. */
  Entity with(ClaimState next) {
    return new Entity(id, status, version, fence, next, last, released, createdAt, newEvents);
  }

  /** This entity with these new events. */
  public Entity with(List<EntityEvent> since) {
    return new Entity(id, status, version, fence, hold, last, released, createdAt, since);
  }
}
