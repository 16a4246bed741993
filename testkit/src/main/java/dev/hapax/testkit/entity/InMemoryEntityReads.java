package dev.hapax.testkit.entity;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.hapax.domain.Page;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.ClaimState;
import dev.hapax.domain.entity.EndedGrant;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityDeletion;
import dev.hapax.domain.entity.EntityDeletionId;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.entity.RecoveryClaim;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads entities from the records of an in-memory ledger, where an entity's news are all its
 * events.
 */
public final class InMemoryEntityReads implements EntityReads {
  private static final Comparator<EntityId> ORDER =
      Comparator.comparing(EntityId::workspace)
          .thenComparing(EntityId::lifecycle)
          .thenComparing(EntityId::id);

  private final Supplier<Map<RecordKey<?>, Object>> records;
  private final InstantSource clock;

  public InMemoryEntityReads(InMemoryLedger ledger, InstantSource clock) {
    this(ledger::records, clock);
  }

  /** Reads these records as they are at each call. */
  public InMemoryEntityReads(Supplier<Map<RecordKey<?>, Object>> records, InstantSource clock) {
    this.records = records;
    this.clock = clock;
  }

  private Stream<Entity> all() {
    return records.get().values().stream()
        .filter(Entity.class::isInstance)
        .map(Entity.class::cast)
        .sorted(Comparator.comparing(Entity::id, ORDER));
  }

  private Optional<Entity> entity(EntityId id) {
    return Optional.ofNullable((Entity) records.get().get(id));
  }

  private Optional<EntityDeletion> deletion(EntityId id) {
    return Optional.ofNullable((EntityDeletion) records.get().get(new EntityDeletionId(id)));
  }

  private Stream<EntityEvent> history(EntityId id) {
    return Stream.concat(
        deletion(id).stream()
            .flatMap(deletion -> deletion.newEvents().stream())
            .filter(event -> event.change() instanceof EntityChange.Deleted),
        entity(id).stream().flatMap(entity -> entity.newEvents().stream()));
  }

  private static Entity stored(Entity entity) {
    return entity.with(List.<EntityEvent>of());
  }

  @Override
  public CompletableFuture<Optional<Entity>> find(EntityId id) {
    return completedFuture(entity(id).map(InMemoryEntityReads::stored));
  }

  @Override
  public CompletableFuture<Page<Entity, EntityId>> list(Query query) {
    var behind =
        all()
            .filter(entity -> matches(query, entity))
            .filter(
                entity ->
                    query.after().isEmpty() || ORDER.compare(entity.id(), query.after().get()) > 0)
            .map(InMemoryEntityReads::stored)
            .toList();
    var items = behind.stream().limit(query.size()).toList();
    return completedFuture(
        new Page<>(
            items,
            items.size() < behind.size() ? Optional.of(items.getLast().id()) : Optional.empty()));
  }

  private static boolean matches(Query query, Entity entity) {
    var since = entity.held().map(taken -> taken.action().since());
    return entity.id().workspace().equals(query.workspace())
        && (query.lifecycle().isEmpty() || entity.id().lifecycle().equals(query.lifecycle().get()))
        && (query.statuses().isEmpty() || query.statuses().contains(entity.status()))
        && (!query.claimed() || since.isPresent())
        && (query.claimedBefore().isEmpty()
            || since.filter(query.claimedBefore().get()::isAfter).isPresent());
  }

  @Override
  public CompletableFuture<Page<EntityEvent, Long>> events(EntityId id, long after, int size) {
    var behind = history(id).filter(event -> event.version() > after).toList();
    var items = behind.stream().limit(size).toList();
    return completedFuture(
        new Page<>(
            items,
            items.size() < behind.size()
                ? Optional.of(items.getLast().version())
                : Optional.empty()));
  }

  @Override
  public CompletableFuture<Optional<EntityEvent>> endedBy(ActionClaim claim) {
    return completedFuture(ended(claim.entity(), claim.version(), claim.nonce()));
  }

  @Override
  public CompletableFuture<Optional<EntityEvent>> endedBy(RecoveryClaim claim) {
    return completedFuture(ended(claim.entity(), claim.version(), claim.nonce()));
  }

  private Optional<EntityEvent> ended(EntityId id, long version, long nonce) {
    return history(id)
        .filter(event -> event.version() == version + 1)
        .filter(event -> event.actor().nonce() == nonce)
        .filter(event -> EndedGrant.byHolder(event).isPresent())
        .findFirst();
  }

  @Override
  public CompletableFuture<Boolean> isReleased(EntityId id, String requestId) {
    return completedFuture(
        history(id)
            .anyMatch(
                event ->
                    event.change() instanceof EntityChange.ClaimReleased(var request, _, _, _)
                        && request.equals(requestId)));
  }

  @Override
  public CompletableFuture<Boolean> isDeleted(EntityId id, String requestId) {
    return completedFuture(
        history(id)
            .anyMatch(
                event ->
                    event.change() instanceof EntityChange.Deleted(var request, _, _)
                        && request.equals(requestId)));
  }

  @Override
  public CompletableFuture<List<Entity>> stranded(
      LifecycleId lifecycle, Set<String> statuses, int atMost) {
    return completedFuture(
        all()
            .filter(entity -> entity.id().lifecycleId().equals(lifecycle))
            .filter(
                entity ->
                    statuses.contains(entity.status())
                        || entity.held().filter(held -> leadsTo(held, statuses)).isPresent())
            .limit(atMost)
            .map(InMemoryEntityReads::stored)
            .toList());
  }

  private static boolean leadsTo(ClaimState.Held held, Set<String> statuses) {
    return leads(held.action().transition()).anyMatch(statuses::contains);
  }

  private static Stream<String> leads(Transition move) {
    return Stream.concat(
        Stream.of(move.to()),
        move.claim().stream().flatMap(claim -> Stream.of(claim.into(), claim.revertTo())));
  }

  private Stream<Entity> taken(Leases leases) {
    var janitor = leases.janitor();
    var from = leases.window().map(clock.instant()::minus).orElse(Instant.MIN);
    return all()
        .filter(entity -> entity.id().workspace().equals(janitor.workspace()))
        .filter(
            entity ->
                entity
                    .held()
                    .filter(held -> held.action().module().equals(janitor.module()))
                    .filter(held -> !held.leaseUntil().isBefore(from))
                    .isPresent());
  }

  private static Instant leaseEnd(Entity taken) {
    return taken.due().orElseThrow();
  }

  @Override
  public CompletableFuture<List<EntityId>> stale(Leases leases, int atMost) {
    var now = clock.instant();
    return completedFuture(
        taken(leases)
            .filter(entity -> !now.isBefore(leaseEnd(entity)))
            .sorted(Comparator.comparing(InMemoryEntityReads::leaseEnd))
            .limit(atMost)
            .map(Entity::id)
            .toList());
  }

  @Override
  public CompletableFuture<Map<JanitorId, Duration>> firstStale(List<Leases> leases) {
    var now = clock.instant();
    var first = new HashMap<JanitorId, Duration>();
    for (var of : leases) {
      taken(of)
          .map(InMemoryEntityReads::leaseEnd)
          .min(Comparator.naturalOrder())
          .ifPresent(end -> first.put(of.janitor(), Duration.between(now, end)));
    }
    return completedFuture(first);
  }

  @Override
  public CompletableFuture<Set<EntityId>> free(Set<EntityId> ids) {
    return completedFuture(
        ids.stream()
            .filter(id -> entity(id).flatMap(Entity::held).isEmpty())
            .collect(Collectors.toSet()));
  }

  @Override
  public CompletableFuture<List<EntityId>> polled(JanitorId janitor, UUID poll) {
    return completedFuture(
        taken(Leases.all(janitor))
            .filter(
                entity ->
                    entity
                        .recovering()
                        .filter(held -> held.recovery().poll().equals(Optional.of(poll)))
                        .isPresent())
            .map(Entity::id)
            .toList());
  }
}
