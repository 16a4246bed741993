package dev.hapax.domain.entity;

import dev.hapax.domain.Fence;
import dev.hapax.domain.run.Actor;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An entity, as its history left it.
 *
 * @param version the number of its last event
 * @param fence the highest it has given
 * @param last how the last grant ended
 * @param released the request of the last release by an operator
 * @param news what has happened since it was loaded
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
    List<EntityEvent> news) {
  public Entity {
    news = List.copyOf(news);
  }

  /** The entity of which this is the first event. */
  public static Entity created(EntityId id, EntityChange.Created change, Instant now, Actor by) {
    return created(id, change, 1, Fence.first(now), now, by);
  }

  /** The same where there was one of this id before. */
  static Entity createdAgain(
      EntityDeletion before, EntityChange.Created change, Instant now, Actor by) {
    var fence = before.fence().next(now);
    return created(before.entity(), change, before.version() + 1, fence, now, by);
  }

  private static Entity created(
      EntityId id, EntityChange.Created change, long version, Fence fence, Instant now, Actor by) {
    var event = new EntityEvent(version, now, by, change.status(), change);
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

  /** Whoever has it. */
  public Optional<ClaimState.Taken> taken() {
    return hold instanceof ClaimState.Taken taken ? Optional.of(taken) : Optional.empty();
  }

  /** Whoever acts on it. */
  public Optional<ClaimState.Claimed> claimed() {
    return hold instanceof ClaimState.Claimed claimed ? Optional.of(claimed) : Optional.empty();
  }

  /** The janitor that has it. */
  public Optional<ClaimState.Recovering> recovering() {
    return hold instanceof ClaimState.Recovering recovering
        ? Optional.of(recovering)
        : Optional.empty();
  }

  /** The claim of whoever acts on it. */
  public Optional<ActionClaim> claim() {
    return claimed().map(held -> ActionClaim.exclusive(this, held.action()));
  }

  /** The claim of the janitor that has it. */
  public Optional<RecoveryClaim> recovery() {
    return recovering().map(held -> RecoveryClaim.of(this, held));
  }

  /** When others may take it, if somebody has it. */
  public Optional<Instant> due() {
    return taken().map(ClaimState.Taken::leaseUntil);
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

  /** Whether nothing has ended this claim, which is not exclusive. */
  boolean isOpenFor(ActionClaim claim) {
    return version == claim.version() && fence.compareTo(claim.fence()) < 0;
  }

  /** The same, and no claim that was granted for it until now is open any more. */
  Entity pastFence(ActionClaim claim) {
    return new Entity(id, status, version, claim.fence(), hold, last, released, createdAt, news);
  }

  static Duration remaining(Instant until, Instant now) {
    var remaining = Duration.between(now, until);
    return remaining.isNegative() ? Duration.ZERO : remaining;
  }

  /** Back where it was, since its holder is gone; the fence first. */
  Entity reverted(Instant now, Actor by, String reason) {
    return then(new EntityChange.ClaimReverted(fence.next(now), reason), now, by);
  }

  /** This entity with one more event. */
  Entity then(EntityChange change, Instant now, Actor by) {
    var after = new EntityFold(this, version + 1, now, by, change).after();
    var event = new EntityEvent(after.version, now, by, after.status, change);
    return after.with(Stream.concat(news.stream(), Stream.of(event)).toList());
  }

  /** This entity after an event of its history. */
  public Entity after(EntityEvent event) {
    return new EntityFold(this, event.version(), event.at(), event.by(), event.change()).after();
  }

  /** The same, held by this. */
  Entity with(ClaimState next) {
    return new Entity(id, status, version, fence, next, last, released, createdAt, news);
  }

  /** The same, where {@code since} is what has happened since it was loaded. */
  public Entity with(List<EntityEvent> since) {
    return new Entity(id, status, version, fence, hold, last, released, createdAt, since);
  }
}
