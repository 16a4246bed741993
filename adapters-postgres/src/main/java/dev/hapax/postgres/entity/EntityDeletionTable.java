package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY_DELETION;

import dev.hapax.domain.Fence;
import dev.hapax.domain.entity.EntityDeletion;
import dev.hapax.domain.entity.EntityDeletionId;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.SimpleTable;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Row;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import org.jooq.Field;
import org.jooq.impl.DSL;

/**
 * The table {@code entity_deletion}; the deletion itself is an event. Comes after the entities in
 * the lock order: a batch that waited for an entity that was deleted must read this row.
 */
public final class EntityDeletionTable extends SimpleTable<EntityDeletionId, EntityDeletion> {
  private static final List<Field<?>> LOADED =
      List.of(
          ENTITY_DELETION.VERSION,
          ENTITY_DELETION.FENCE,
          ENTITY_DELETION.DELETED_AT,
          ENTITY_DELETION.REQUEST_ID);

  private static final UnnestRows<EntityDeletionId> KEYS =
      new UnnestRows<>("k", EntityColumns.key(EntityDeletionId::entity));

  private static final UnnestRows<Write<EntityDeletionId, EntityDeletion>> WRITTEN =
      new UnnestRows<>(
              "u",
              EntityColumns.key(
                  (Write<EntityDeletionId, EntityDeletion> write) -> write.key().entity()))
          .with(
              List.of(
                  column(ENTITY_DELETION.VERSION, Kind.LONG, EntityDeletion::version),
                  column(ENTITY_DELETION.FENCE, Kind.LONG, deletion -> deletion.fence().value()),
                  column(ENTITY_DELETION.DELETED_AT, Kind.INSTANT, EntityDeletion::at),
                  column(ENTITY_DELETION.PURGED, Kind.BOOL, _ -> false),
                  column(ENTITY_DELETION.REQUEST_ID, Kind.TEXT, EntityDeletion::requestId)));

  private static final String LOCK =
      RenderedSql.text(
          KEYS.each(
              DSL.select(ENTITY_DELETION.WORKSPACE)
                  .select(LOADED)
                  .from(ENTITY_DELETION)
                  .where(
                      ENTITY_DELETION.WORKSPACE.eq(KEYS.get(ENTITY_DELETION.WORKSPACE)),
                      ENTITY_DELETION.LIFECYCLE.eq(KEYS.get(ENTITY_DELETION.LIFECYCLE)),
                      ENTITY_DELETION.ID.eq(KEYS.get(ENTITY_DELETION.ID)))
                  .forUpdate()));

  private static final String UPDATE =
      RenderedSql.replace(
          ENTITY_DELETION,
          WRITTEN,
          List.of(ENTITY_DELETION.WORKSPACE, ENTITY_DELETION.LIFECYCLE, ENTITY_DELETION.ID),
          ENTITY_DELETION.VERSION.lt(DSL.excluded(ENTITY_DELETION.VERSION)));

  public EntityDeletionTable() {
    super(
        EntityDeletionId.class,
        Comparator.comparing(EntityDeletionId::entity, EntityTable.ORDER),
        KEYS,
        LOCK,
        ENTITY_DELETION,
        WRITTEN,
        UPDATE);
  }

  @Override
  protected EntityDeletion read(EntityDeletionId id, ResultSet found) throws SQLException {
    var row = new Row(found);
    return new EntityDeletion(
        id.entity(),
        row.number(ENTITY_DELETION.VERSION),
        new Fence(row.number(ENTITY_DELETION.FENCE)),
        row.instant(ENTITY_DELETION.DELETED_AT),
        row.text(ENTITY_DELETION.REQUEST_ID),
        List.of());
  }

  @Override
  public void insert(Pipeline pipeline, List<Write<EntityDeletionId, EntityDeletion>> writes) {
    super.insert(pipeline, writes);
    EntityEventTable.insertLast(pipeline, writes.stream().map(Write::kept).toList());
  }
}
