package dev.hapax.postgres.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.ClaimState;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RowVersion;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class EntityGuardIT {
  /** Loads an entity as it was one version before, free, the first time. */
  private static final class Stale implements RecordTable<EntityId, Entity> {
    private final EntityTable table = new EntityTable();
    private final AtomicInteger loads = new AtomicInteger();

    @Override
    public Class<EntityId> keys() {
      return table.keys();
    }

    @Override
    public Comparator<EntityId> lockOrder() {
      return table.lockOrder();
    }

    @Override
    public void lock(Pipeline pipeline, List<EntityId> keys, Loading<EntityId, Entity> loading) {
      table.lock(
          pipeline,
          keys,
          new Loading<>() {
            @Override
            public void found(EntityId id, Entity entity) {
              throw new AssertionError("the version of the row is missing");
            }

            @Override
            public void found(EntityId id, Entity entity, RowVersion version) {
              loading.found(id, loads.getAndIncrement() == 0 ? before(entity) : entity, version);
            }

            @Override
            public void deferred(EntityId id) {
              loading.deferred(id);
            }
          });
    }

    private static Entity before(Entity entity) {
      return new Entity(
          entity.id(),
          "approved",
          entity.version() - 1,
          entity.fence(),
          new ClaimState.Free(),
          entity.last(),
          entity.released(),
          entity.createdAt(),
          List.of());
    }

    @Override
    public void lookUp(
        Pipeline pipeline, List<EntityId> absent, Loading<EntityId, Entity> loading) {
      table.lookUp(pipeline, absent, loading);
    }

    @Override
    public void insert(Pipeline pipeline, List<Write<EntityId, Entity>> writes) {
      table.insert(pipeline, writes);
    }

    @Override
    public void change(Pipeline pipeline, List<Write<EntityId, Entity>> writes) {
      table.change(pipeline, writes);
    }

    @Override
    public void verify(Pipeline pipeline, List<Write<EntityId, Entity>> writes) {
      table.verify(pipeline, writes);
    }
  }

  @Test
  @DisplayName(
      "an entity with a newer version than the one loaded gets no second event of it: it is decided again")
  void noFork() {
    try (var nodes = new EntityNodes(1)) {
      Invoices.install(nodes, "billing", JanitorMode.HOSTED);
      var id = new EntityId(Invoices.WORKSPACE, "billing", "invoice");
      var lease = Duration.ofHours(1);
      nodes.run(Invoices.create(id, "approved"));
      nodes.run(Invoices.begin(id, "close", "admin", "first", lease));
      var stale = new Stale();

      var second = Invoices.begin(id, "close", "admin", "second", lease);
      var outcome = EntityNodes.await(nodes.node(stale).submit(second));

      assertThat(outcome).isInstanceOf(BeginActionOutcome.ClaimFailed.class);
      assertThat(stale.loads).hasValueGreaterThan(1);
      assertThat(EntityNodes.await(nodes.entities().events(id, 0, 10)).items())
          .extracting(event -> (Object) event.change().getClass())
          .containsExactly(EntityChange.Created.class, EntityChange.ActionBegan.class);
    }
  }
}
