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

/** Reads entities without locks; every acknowledged write is visible. */
public interface EntityReads {
  CompletableFuture<Optional<Entity>> find(EntityId id);

  /** Lists entities in order of lifecycle and id. */
  CompletableFuture<Page<Entity, EntityId>> list(Query query);

  /**
   * Lists events in order, from the first after version {@code after}. Of deleted entities with the
   * same id, only the deletions are kept.
   */
  CompletableFuture<Page<EntityEvent, Long>> events(EntityId id, long after, int size);

  /**
   * Finds the event with which the holder of this claim ended its grant: the event of the next
   * version, if it has the claim's nonce.
   */
  CompletableFuture<Optional<EntityEvent>> endedBy(ActionClaim claim);

  /** Finds the event with which the module ended this recovery. */
  CompletableFuture<Optional<EntityEvent>> endedBy(RecoveryClaim claim);

  /** Returns whether this request has released the entity, as far as its history is kept. */
  CompletableFuture<Boolean> isReleased(EntityId id, String requestId);

  /** Returns whether this request has deleted an entity of this id, as far as that is kept. */
  CompletableFuture<Boolean> isDeleted(EntityId id, String requestId);

  /**
   * Lists some of the entities that are in one of these statuses, or whose claim can lead to one,
   * in one snapshot.
   */
  CompletableFuture<List<Entity>> stranded(LifecycleId lifecycle, Set<String> statuses, int atMost);

  /** Lists entities whose lease has expired by the database's clock, longest first. */
  CompletableFuture<List<EntityId>> stale(Leases leases, int atMost);

  /**
   * Returns the time until the first lease of each module expires, by the database's clock; zero or
   * less = it has expired. Modules without a held entity are absent.
   */
  CompletableFuture<Map<JanitorId, Duration>> firstStale(List<Leases> leases);

  /** Returns those of these entities that are not held, including deleted ones. */
  CompletableFuture<Set<EntityId>> free(Set<EntityId> ids);

  /** Lists the entities whose recovery was granted to this poll and is still held. */
  CompletableFuture<List<EntityId>> polled(JanitorId janitor, UUID poll);

  /**
   * Selects leases on entities of a module.
   *
   * @param window excludes leases that expired longer ago; empty = all
   */
  record Leases(JanitorId janitor, Optional<Duration> window) {
    public static Leases all(JanitorId janitor) {
      return new Leases(janitor, Optional.empty());
    }
  }

  /**
   * The request for one page of a list; an empty condition matches all.
   *
   * @param statuses the entity has one of them
   * @param claimed only entities that are held
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
