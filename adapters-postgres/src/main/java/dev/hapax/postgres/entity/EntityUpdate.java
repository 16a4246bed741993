package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY;

import dev.hapax.domain.entity.ClaimState;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowVersion;
import dev.hapax.postgres.ledger.UnnestRows;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jooq.impl.DSL;

/**
 * Updates the rows of entities as they were read, with one statement, which locks them in lock
 * order. It sends the columns that one of the entities uses; the others are null.
 */
enum EntityUpdate {
  FREE(List.of()),
  CLAIMED(EntityColumns.OF_TAKEN),
  RECOVERING(
      Stream.concat(EntityColumns.OF_TAKEN.stream(), EntityColumns.OF_RECOVERING.stream())
          .toList());

  private final UnnestRows<Write<EntityId, Entity>> sent;
  private final String statement;

  EntityUpdate(List<Column<Entity>> more) {
    this.sent =
        new UnnestRows<>("u", EntityColumns.key(Write<EntityId, Entity>::key))
            .with(List.of(RowVersion.column(Write::replacedVersion)))
            .with(
                Stream.concat(EntityColumns.OF_ALL.stream(), more.stream())
                    .<Column<Write<EntityId, Entity>>>map(column -> column.of(Write::kept))
                    .toList());
    this.statement = update(sent);
  }

  private static EntityUpdate of(Write<EntityId, Entity> write) {
    return switch (write.kept().hold()) {
      case ClaimState.Free _ -> FREE;
      case ClaimState.Claimed _ -> CLAIMED;
      case ClaimState.Recovering _ -> RECOVERING;
    };
  }

  private static String update(UnnestRows<Write<EntityId, Entity>> sent) {
    // created_at too: an entity may be deleted and created again in one batch
    var names = sent.names();
    var set = new LinkedHashMap<Field<?>, Field<?>>();
    for (var field : EntityTable.LOADED) {
      var isSent = names.contains(DSL.field(DSL.name(field.getName())));
      set.put(field, isSent ? sent.get(field) : DSL.castNull(field));
    }
    return RenderedSql.exactly(
        ENTITY.getName(),
        DSL.update(ENTITY)
            .set(set)
            .from(sent.writeSource())
            .where(RowVersion.isSent(ENTITY, sent, EntityTable.KEY))
            .returning(DSL.one()));
  }

  /** Adds the update of these entities, given in lock order. */
  static void add(Pipeline pipeline, List<Write<EntityId, Entity>> writes) {
    writes.stream()
        .map(EntityUpdate::of)
        .max(Comparator.naturalOrder())
        .ifPresent(update -> pipeline.write(update.statement, update.sent, writes));
  }
}
