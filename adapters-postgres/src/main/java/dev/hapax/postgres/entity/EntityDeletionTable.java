package dev.hapax.postgres.entity;

import static dev.hapax.postgres.ledger.RowWrites.column;
import static dev.hapax.postgres.schema.Tables.ENTITY_DELETION;

import dev.hapax.domain.Fence;
import dev.hapax.domain.entity.EntityDeletion;
import dev.hapax.domain.entity.EntityDeletionId;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowLoad;
import dev.hapax.postgres.ledger.RowWrites;
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
public final class EntityDeletionTable implements RecordTable<EntityDeletionId, EntityDeletion> {
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
          ENTITY_DELETION.VERSION.lt(WRITTEN.get(ENTITY_DELETION.VERSION)));

  private static final Comparator<EntityDeletionId> ORDER =
      Comparator.comparing(EntityDeletionId::entity, EntityTable.ORDER);

  private static final RowLoad<EntityDeletionId, EntityDeletion> LOAD =
      new RowLoad<>(KEYS, LOCK, EntityDeletionTable::read);

  private final RowWrites<EntityDeletionId, EntityDeletion> writes =
      RowWrites.of(ENTITY_DELETION, WRITTEN, UPDATE);

  @Override
  public Class<EntityDeletionId> keys() {
    return EntityDeletionId.class;
  }

  @Override
  public Comparator<EntityDeletionId> lockOrder() {
    return ORDER;
  }

  @Override
  public void lock(
      Pipeline pipeline,
      List<EntityDeletionId> ids,
      Loading<EntityDeletionId, EntityDeletion> loading) {
    LOAD.add(pipeline, ids, loading);
  }

  private static EntityDeletion read(EntityDeletionId id, ResultSet found) throws SQLException {
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
  public void insert(Pipeline pipeline, List<Write<EntityDeletionId, EntityDeletion>> deletions) {
    writes.insert(pipeline, deletions);
    EntityEventTable.insertLast(pipeline, deletions.stream().map(Write::kept).toList());
  }

  @Override
  public void change(Pipeline pipeline, List<Write<EntityDeletionId, EntityDeletion>> deletions) {
    writes.change(pipeline, deletions);
  }
}
