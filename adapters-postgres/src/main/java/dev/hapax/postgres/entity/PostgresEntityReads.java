package dev.hapax.postgres.entity;

import dev.hapax.domain.Page;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.entity.RecoveryClaim;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.postgres.ledger.PendingIntents;
import dev.hapax.postgres.ledger.PendingIntents.Stored;
import dev.hapax.postgres.ledger.RecordTable.Loading;
import dev.hapax.postgres.ledger.WorkspaceScope;
import dev.hapax.postgres.read.GroupedReads;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Reads entities and their histories. */
public final class PostgresEntityReads implements EntityReads {
  private final ReadExecutor reads;
  private final PendingIntents intents;
  private final GroupedReads<EntityId, Stored<Entity>> entities;
  private final GroupedReads<PolledEntities.Poll, List<EntityId>> polled;

  public PostgresEntityReads(ReadExecutor reads, PendingIntents intents) {
    this.reads = reads;
    this.intents = intents;
    this.entities = new GroupedReads<>(reads, EntityId::workspace, PostgresEntityReads::find);
    this.polled = new GroupedReads<>(reads, poll -> poll.janitor().workspace(), PolledEntities::of);
  }

  @Override
  public CompletableFuture<Optional<Entity>> find(EntityId id) {
    return intents.settled(() -> entities.find(id));
  }

  private static Map<EntityId, Stored<Entity>> find(ReadSession session, List<EntityId> ids)
      throws SQLException {
    var found = new Found(new HashMap<>());
    var pipeline = session.pipeline();
    EntityTable.find(pipeline, ids, found);
    pipeline.run();
    return found.entities();
  }

  private record Found(Map<EntityId, Stored<Entity>> entities)
      implements Loading<EntityId, Entity> {
    @Override
    public void found(EntityId id, Entity entity) {
      entities.put(id, new Stored<>(entity, Optional.empty()));
    }

    @Override
    public void pending(EntityId id, RecordKey<?> intent) {
      entities.computeIfPresent(
          id, (_, found) -> new Stored<>(found.record(), Optional.of(intent)));
    }

    @Override
    public void deferred(EntityId id) {
      throw new IllegalStateException(id + " is not large");
    }
  }

  @Override
  public CompletableFuture<Page<Entity, EntityId>> list(Query query) {
    return reads.submit(query.workspace(), session -> new EntityList(query).page(session));
  }

  @Override
  public CompletableFuture<Page<EntityEvent, Long>> events(EntityId id, long after, int size) {
    return reads.submit(
        id.workspace(), session -> new EntityHistory(session, id).events(after, size));
  }

  @Override
  public CompletableFuture<Optional<EntityEvent>> endedBy(ActionClaim claim) {
    return endedBy(claim.entity(), claim.version(), claim.nonce());
  }

  @Override
  public CompletableFuture<Optional<EntityEvent>> endedBy(RecoveryClaim claim) {
    return endedBy(claim.entity(), claim.version(), claim.nonce());
  }

  private CompletableFuture<Optional<EntityEvent>> endedBy(EntityId id, long version, long nonce) {
    return reads.submit(
        id.workspace(), session -> new EntityHistory(session, id).endedBy(version, nonce));
  }

  @Override
  public CompletableFuture<Boolean> isReleased(EntityId id, String requestId) {
    return reads.submit(
        id.workspace(), session -> new EntityHistory(session, id).isReleased(requestId));
  }

  @Override
  public CompletableFuture<Boolean> isDeleted(EntityId id, String requestId) {
    return reads.submit(
        id.workspace(), session -> new EntityHistory(session, id).isDeleted(requestId));
  }

  @Override
  public CompletableFuture<List<Entity>> stranded(
      LifecycleId lifecycle, Set<String> statuses, int atMost) {
    return reads.submit(
        lifecycle.workspace(),
        session -> StuckEntityQuery.stranded(session, lifecycle, statuses, atMost));
  }

  @Override
  public CompletableFuture<List<EntityId>> stale(Leases leases, int atMost) {
    return reads.submit(
        leases.janitor().workspace(), session -> StuckEntityQuery.stale(session, leases, atMost));
  }

  @Override
  public CompletableFuture<List<EntityId>> polled(JanitorId janitor, UUID poll) {
    return polled
        .find(new PolledEntities.Poll(janitor, poll))
        .thenApply(found -> found.orElseGet(List::of));
  }

  @Override
  public CompletableFuture<Map<JanitorId, Duration>> firstStale(List<Leases> leases) {
    return reads.submit(
        WorkspaceScope.of(leases.stream().map(lease -> lease.janitor().workspace()).toList()),
        session -> StuckEntityQuery.firstStale(session, leases));
  }

  @Override
  public CompletableFuture<Set<EntityId>> free(Set<EntityId> ids) {
    var asked = List.copyOf(ids);
    return reads.submit(
        WorkspaceScope.of(asked.stream().map(EntityId::workspace).toList()),
        session -> EntityTable.free(session, asked));
  }
}
