package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY_EVENT;

import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityDeletion;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.postgres.entity.EntityEventColumns.EntityEventRow;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.UnnestRows;
import java.util.List;
import java.util.stream.Stream;

/** The table {@code entity_event}, append-only. */
final class EntityEventTable {
  private static final Insertion<EntityEventRow> INSERT =
      new Insertion<>(ENTITY_EVENT, new UnnestRows<>("u", EntityEventColumns.ALL));

  private EntityEventTable() {}

  /** Inserts the new events of these entities, given in lock order. */
  static void insert(Pipeline pipeline, List<Entity> entities) {
    INSERT.add(
        pipeline,
        entities.stream().flatMap(entity -> rows(entity.id(), entity.newEvents())).toList());
  }

  /** Inserts the last events of deleted entities. */
  static void insertLast(Pipeline pipeline, List<EntityDeletion> deletions) {
    INSERT.add(
        pipeline,
        deletions.stream()
            .flatMap(deletion -> rows(deletion.entity(), deletion.newEvents()))
            .toList());
  }

  private static Stream<EntityEventRow> rows(EntityId entity, List<EntityEvent> news) {
    return news.stream().map(event -> new EntityEventRow(entity, event));
  }
}
