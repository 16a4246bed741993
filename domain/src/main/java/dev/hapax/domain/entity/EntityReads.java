package dev.hapax.domain.entity;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.lifecycle.LifecycleId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Looks without locking. Sees every acknowledged write. */
public interface EntityReads {
  CompletableFuture<Optional<Entity>> find(EntityId id);

  /** By lifecycle and id. */
  CompletableFuture<Page<Entity, EntityId>> list(Query query);

  /**
   * In order, from the one behind {@code after}. Of those who had the id before, only their
   * deletions.
   */
  CompletableFuture<Page<EntityEvent, Long>> events(EntityId id, long after, int size);

  /**
   * What was done with this claim's grant to end it, if it was: the event of the next version, if
   * it is by its nonce.
   */
  CompletableFuture<Optional<EntityEvent>> endedBy(ActionClaim claim);

  /** The same of a recovery. */
  CompletableFuture<Optional<EntityEvent>> endedBy(RecoveryClaim claim);

  /** Whether this request has released the entity, as far as its history is kept. */
  CompletableFuture<Boolean> isReleased(EntityId id, String requestId);

  /** Whether this request has deleted an entity of this id, as far as that is kept. */
  CompletableFuture<Boolean> isDeleted(EntityId id, String requestId);

  /**
   * Entities that are in one of these statuses, or are claimed and can come to be in one, by
   * success or back, at one instant; a few of them.
   */
  CompletableFuture<List<Entity>> stranded(LifecycleId lifecycle, Set<String> statuses, int atMost);

  /** Entities whose lease is over by the database's clock, longest first. */
  CompletableFuture<List<EntityId>> stale(Leases leases, int atMost);

  /**
   * How long it is, by the database's clock, until the first of the leases of each of these modules
   * ends; zero or less = it is over. Those of which nobody has an entity are left out.
   */
  CompletableFuture<Map<JanitorId, Duration>> firstStale(List<Leases> leases);

  /** Which of these are not taken; what is deleted is not, either. */
  CompletableFuture<Set<EntityId>> free(Set<EntityId> ids);

  /** What was granted to this poll and is still held. */
  CompletableFuture<List<EntityId>> polled(JanitorId janitor, UUID poll);

  /**
   * Leases on entities of a module.
   *
   * @param back without those that have been over for longer; empty = all
   */
  record Leases(JanitorId janitor, Optional<Duration> back) {
    public static Leases all(JanitorId janitor) {
      return new Leases(janitor, Optional.empty());
    }
  }

  /**
   * What to list. Empty = no such restriction.
   *
   * @param statuses an entity is in one of them
   * @param claimed only those that somebody has
   */
  record Query(
      Workspace workspace,
      Optional<String> lifecycle,
      Set<String> statuses,
      boolean claimed,
      Optional<Instant> claimedBefore,
      int size,
      Optional<EntityId> after) {
    public Query {
      statuses = Set.copyOf(statuses);
    }
  }
}
