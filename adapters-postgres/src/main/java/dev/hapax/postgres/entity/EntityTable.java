package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY;

import dev.hapax.domain.entity.ClaimState;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.postgres.intent.PendingIntentColumn;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.LoadedKey;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * The tables of entities: the row in {@code entity} is locked by rivals; new events go to {@code
 * entity_event}, whose key rejects a second event of one version.
 */
public final class EntityTable implements RecordTable<EntityId, Entity> {
  static final Comparator<EntityId> ORDER =
      Comparator.comparing(EntityId::workspace)
          .thenComparing(EntityId::lifecycle)
          .thenComparing(EntityId::id);

  private static final String WAS_VERSION = "was_version";
  private static final List<Field<?>> KEY = List.of(ENTITY.WORKSPACE, ENTITY.LIFECYCLE, ENTITY.ID);

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
                  .from(ENTITY)
                  .where(isEntity())
                  .forUpdate()));

  private static final String FIND =
      RenderedSql.text(
          KEYS.each(
              DSL.select(ENTITY.WORKSPACE)
                  .select(LOADED)
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
          .with(
              List.of(
                  new Column<>(
                      WAS_VERSION,
                      Column.Kind.LONG,
                      write -> some(write.key(), write.before()).version())));

  private static final String DELETE =
      RenderedSql.exactly(
          ENTITY.getName(),
          DSL.deleteFrom(ENTITY)
              .where(
                  RenderedSql.isAt(
                      ENTITY,
                      DELETED,
                      isEntity(DELETED)
                          .and(ENTITY.VERSION.eq(DELETED.get(WAS_VERSION, ENTITY.VERSION)))))
              .returning(DSL.one()));

  private static final Insertion<Entity> INSERT = new Insertion<>(ENTITY, Update.RECOVERING.sent);

  /** The columns that an update sends; the others are null. */
  private enum Update {
    FREE(List.of()),
    CLAIMED(EntityColumns.OF_TAKEN),
    RECOVERING(
        Stream.concat(EntityColumns.OF_TAKEN.stream(), EntityColumns.OF_RECOVERING.stream())
            .toList());

    private final UnnestRows<Entity> sent;
    private final String statement;

    Update(List<Column<Entity>> more) {
      this.sent =
          new UnnestRows<>("u", EntityColumns.key(Entity::id))
              .with(EntityColumns.OF_ALL)
              .with(more);
      this.statement = update(sent);
    }

    static Update of(Entity entity) {
      return switch (entity.hold()) {
        case ClaimState.Free _ -> FREE;
        case ClaimState.Claimed _ -> CLAIMED;
        case ClaimState.Recovering _ -> RECOVERING;
      };
    }
  }

  /**
   * The row is there and locked, but an update with a join could be planned as a scan of the table.
   */
  private static String update(UnnestRows<Entity> sent) {
    // created_at too: an entity may be deleted and created again in one batch
    var excluded = new LinkedHashMap<Field<?>, Field<?>>();
    LOADED.forEach(field -> excluded.put(field, DSL.excluded(field)));
    return RenderedSql.exactly(
        ENTITY.getName(),
        DSL.insertInto(ENTITY, sent.names())
            .select(DSL.select(sent.all()).from(sent.writeSource()))
            .onConflict(KEY)
            .doUpdate()
            .set(excluded)
            .where(ENTITY.VERSION.le(DSL.excluded(ENTITY.VERSION)))
            .returning(DSL.one()));
  }

  private static Condition isEntity() {
    return isEntity(KEYS);
  }

  private static Condition isEntity(UnnestRows<?> sent) {
    return DSL.and(
        ENTITY.WORKSPACE.eq(sent.get(ENTITY.WORKSPACE)),
        ENTITY.LIFECYCLE.eq(sent.get(ENTITY.LIFECYCLE)),
        ENTITY.ID.eq(sent.get(ENTITY.ID)));
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
          loading.found(id, EntityRows.entity(id, row));
          PendingIntentColumn.read(ENTITY.PENDING_INTENT, id, row, loading);
        });
  }

  @Override
  public void insert(Pipeline pipeline, List<Write<EntityId, Entity>> writes) {
    INSERT.add(pipeline, after(writes.stream().filter(w -> w.before() == null)));
    EntityEventTable.insert(pipeline, after(writes.stream()));
  }

  @Override
  public void change(Pipeline pipeline, List<Write<EntityId, Entity>> writes) {
    var deleted = writes.stream().filter(w -> w.after() == null).toList();
    pipeline.write(DELETE, DELETED, deleted);
    after(writes.stream().filter(w -> w.before() != null)).stream()
        .collect(
            Collectors.groupingBy(
                Update::of, () -> new EnumMap<>(Update.class), Collectors.toList()))
        .forEach((update, changed) -> pipeline.write(update.statement, update.sent, changed));
  }

  private static List<Entity> after(Stream<Write<EntityId, Entity>> writes) {
    return writes.map(Write::after).filter(Objects::nonNull).toList();
  }

  private static Entity some(EntityId id, @Nullable Entity entity) {
    if (entity == null) {
      throw new IllegalArgumentException(id + " does not exist, so it cannot be removed");
    }
    return entity;
  }
}
