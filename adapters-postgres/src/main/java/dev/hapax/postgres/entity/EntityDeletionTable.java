package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY_DELETION;

import dev.hapax.domain.Fence;
import dev.hapax.domain.entity.EntityDeletion;
import dev.hapax.domain.entity.EntityDeletionId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Row;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
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

  private static final UnnestRows<EntityDeletion> WRITTEN =
      new UnnestRows<>("u", EntityColumns.key(EntityDeletion::entity))
          .with(
              List.of(
                  new Column<>(
                      ENTITY_DELETION.VERSION.getName(), Kind.LONG, EntityDeletion::version),
                  new Column<>(
                      ENTITY_DELETION.FENCE.getName(),
                      Kind.LONG,
                      deletion -> deletion.fence().value()),
                  new Column<>(
                      ENTITY_DELETION.DELETED_AT.getName(), Kind.INSTANT, EntityDeletion::at),
                  new Column<>(ENTITY_DELETION.PURGED.getName(), Kind.BOOL, _ -> false),
                  new Column<>(
                      ENTITY_DELETION.REQUEST_ID.getName(), Kind.TEXT, EntityDeletion::requestId)));

  private static final String LOCK =
      RenderedSql.text(
          KEYS.each(
              DSL.select(LOADED)
                  .from(ENTITY_DELETION)
                  .where(
                      ENTITY_DELETION.WORKSPACE.eq(KEYS.get(ENTITY_DELETION.WORKSPACE)),
                      ENTITY_DELETION.LIFECYCLE.eq(KEYS.get(ENTITY_DELETION.LIFECYCLE)),
                      ENTITY_DELETION.ID.eq(KEYS.get(ENTITY_DELETION.ID)))
                  .forUpdate()));

  private static final Insertion<EntityDeletion> INSERT = new Insertion<>(ENTITY_DELETION, WRITTEN);

  /** The row is there and locked; said so, because a join could be planned as a scan. */
  private static final String UPDATE =
      RenderedSql.exactly(
          ENTITY_DELETION.getName(),
          DSL.insertInto(ENTITY_DELETION, WRITTEN.names())
              .select(DSL.select(WRITTEN.all()).from(WRITTEN.table()))
              .onConflict(ENTITY_DELETION.WORKSPACE, ENTITY_DELETION.LIFECYCLE, ENTITY_DELETION.ID)
              .doUpdate()
              .setAllToExcluded()
              .where(ENTITY_DELETION.VERSION.lt(DSL.excluded(ENTITY_DELETION.VERSION)))
              .returning(DSL.one()));

  @Override
  public Class<EntityDeletionId> keys() {
    return EntityDeletionId.class;
  }

  @Override
  public Comparator<EntityDeletionId> lockOrder() {
    return Comparator.comparing(EntityDeletionId::entity, EntityTable.ORDER);
  }

  @Override
  public void lock(
      Pipeline pipeline,
      List<EntityDeletionId> keys,
      Loading<EntityDeletionId, EntityDeletion> loading) {
    pipeline.query(
        LOCK,
        KEYS.parameters(keys),
        row -> {
          var id = keys.get(row.getInt(1) - 1);
          loading.found(id, read(id, new Row(row)));
        });
  }

  private static EntityDeletion read(EntityDeletionId id, Row row) throws SQLException {
    return new EntityDeletion(
        id.entity(),
        row.number(ENTITY_DELETION.VERSION),
        new Fence(row.number(ENTITY_DELETION.FENCE)),
        row.instant(ENTITY_DELETION.DELETED_AT),
        row.text(ENTITY_DELETION.REQUEST_ID),
        List.of());
  }

  @Override
  public void lookUp(
      Pipeline pipeline,
      List<EntityDeletionId> absent,
      Loading<EntityDeletionId, EntityDeletion> loading) {}

  @Override
  public void insert(Pipeline pipeline, List<Write<EntityDeletionId, EntityDeletion>> writes) {
    INSERT.add(pipeline, kept(writes.stream().filter(Write::isNew)));
    EntityEventTable.insertLast(pipeline, kept(writes.stream()));
  }

  @Override
  public void change(Pipeline pipeline, List<Write<EntityDeletionId, EntityDeletion>> writes) {
    pipeline.write(UPDATE, WRITTEN, kept(writes.stream().filter(write -> !write.isNew())));
  }

  private static List<EntityDeletion> kept(Stream<Write<EntityDeletionId, EntityDeletion>> writes) {
    return writes.map(Write::kept).toList();
  }

  @Override
  public void verify(Pipeline pipeline, List<Write<EntityDeletionId, EntityDeletion>> writes) {}
}
