package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY;

import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.postgres.intent.PendingIntentColumn;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.LoadedKey;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowVersion;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.impl.DSL;

/**
 * The tables of entities: the row in {@code entity} is locked by rivals; new events go to {@code
 * entity_event}, whose key rejects a second event of one version.
 */
public final class EntityTable implements RecordTable<EntityId, Entity> {
  static final Comparator<EntityId> ORDER =
      Comparator.comparing(EntityId::workspace)
          .thenComparing(EntityId::lifecycle)
          .thenComparing(EntityId::id);

  static final List<Field<?>> KEY = List.of(ENTITY.WORKSPACE, ENTITY.LIFECYCLE, ENTITY.ID);

  /** The columns that identify an entity of a workspace. */
  static final List<Field<?>> NAMES = List.of(ENTITY.LIFECYCLE, ENTITY.ID);

  /** The columns that are loaded by key. */
  static final List<Field<?>> LOADED =
      Stream.of(ENTITY.fields()).filter(field -> !KEY.contains(field)).toList();

  private static final UnnestRows<EntityId> KEYS =
      new UnnestRows<>("k", EntityColumns.key(id -> id));

  private static final String LOCK =
      RenderedSql.text(
          KEYS.each(
              DSL.select(ENTITY.WORKSPACE)
                  .select(LOADED)
                  .select(RowVersion.of(ENTITY))
                  .from(ENTITY)
                  .where(isEntity())
                  .forUpdate()));

  private static final String FIND =
      RenderedSql.text(
          KEYS.each(
              DSL.select(ENTITY.WORKSPACE)
                  .select(LOADED)
                  .select(RowVersion.of(ENTITY))
                  .from(ENTITY)
                  .where(isEntity())
                  .limit(DSL.inline(1))));

  /** Includes deleted entities: a caller that waits for one must get its answer. */
  private static final String FREE =
      RenderedSql.text(
          DSL.select(KEYS.number())
              .from(KEYS.table())
              .whereNotExists(
                  // the offset keeps it from being planned as a join with the whole table
                  DSL.selectOne()
                      .from(ENTITY)
                      .where(isEntity(), DSL.not(EntityList.IS_FREE))
                      .offset(DSL.inline(0))));

  private static final UnnestRows<Write<EntityId, Entity>> DELETED =
      new UnnestRows<>("d", EntityColumns.key((Write<EntityId, Entity> write) -> write.key()))
          .with(List.of(RowVersion.column(Write::replacedVersion)));

  private static final String DELETE =
      RenderedSql.exactly(
          ENTITY.getName(),
          DSL.deleteFrom(ENTITY)
              .using(DELETED.writeSource())
              .where(RowVersion.isSent(ENTITY, DELETED, KEY))
              .returning(DSL.one()));

  private static final Insertion<Entity> INSERT =
      new Insertion<>(
          ENTITY,
          new UnnestRows<>("u", EntityColumns.key(Entity::id))
              .with(EntityColumns.OF_ALL)
              .with(EntityColumns.OF_TAKEN)
              .with(EntityColumns.OF_RECOVERING));

  private static Condition isEntity() {
    return DSL.and(
        ENTITY.WORKSPACE.eq(KEYS.get(ENTITY.WORKSPACE)),
        ENTITY.LIFECYCLE.eq(KEYS.get(ENTITY.LIFECYCLE)),
        ENTITY.ID.eq(KEYS.get(ENTITY.ID)));
  }

  @Override
  public Class<EntityId> keys() {
    return EntityId.class;
  }

  @Override
  public Comparator<EntityId> lockOrder() {
    return ORDER;
  }

  @Override
  public void lock(Pipeline pipeline, List<EntityId> keys, Loading<EntityId, Entity> loading) {
    load(LOCK, pipeline, keys, loading);
  }

  /** Finds entities without locking. */
  static void find(Pipeline pipeline, List<EntityId> keys, Loading<EntityId, Entity> loading) {
    load(FIND, pipeline, keys, loading);
  }

  /** Returns the entities that are not claimed; without locking. */
  static Set<EntityId> free(ReadSession session, List<EntityId> keys) throws SQLException {
    var free = new HashSet<EntityId>();
    var pipeline = session.pipeline();
    pipeline.query(FREE, KEYS.parameters(keys), row -> free.add(keys.get(row.getInt(1) - 1)));
    pipeline.run();
    return free;
  }

  private static void load(
      String statement, Pipeline pipeline, List<EntityId> keys, Loading<EntityId, Entity> loading) {
    pipeline.query(
        statement,
        KEYS.parameters(keys),
        row -> {
          var id = LoadedKey.of(row, keys);
          loading.found(id, EntityRows.entity(id, row), RowVersion.read(row));
          PendingIntentColumn.read(ENTITY.PENDING_INTENT, id, row, loading);
        });
  }

  @Override
  public void insert(Pipeline pipeline, List<Write<EntityId, Entity>> writes) {
    INSERT.add(pipeline, after(writes.stream().filter(Write::isNew)));
  }

  @Override
  public void change(Pipeline pipeline, List<Write<EntityId, Entity>> writes) {
    pipeline.write(DELETE, DELETED, writes.stream().filter(w -> w.after() == null).toList());
    EntityUpdate.add(
        pipeline,
        writes.stream().filter(write -> !write.isNew() && write.after() != null).toList());
    EntityEventTable.insert(pipeline, after(writes.stream()));
  }

  private static List<Entity> after(Stream<Write<EntityId, Entity>> writes) {
    return writes.map(Write::after).filter(Objects::nonNull).toList();
  }
}
