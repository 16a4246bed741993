package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY_EVENT;

import dev.hapax.domain.entity.Entity;
import dev.hapax.postgres.entity.EntityEventColumns.Told;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.Sent;
import java.util.List;

/** The table {@code entity_event}, append-only. */
final class EntityEventTable {
  private static final Insertion<Told> INSERT =
      new Insertion<>(ENTITY_EVENT, new Sent<>("u", EntityEventColumns.ALL));

  private EntityEventTable() {}

  /** Adds what has happened to these entities, given in lock order. */
  static void insert(Pipeline pipeline, List<Entity> entities) {
    INSERT.add(
        pipeline,
        entities.stream()
            .flatMap(entity -> entity.news().stream().map(event -> new Told(entity.id(), event)))
            .toList());
  }
}
