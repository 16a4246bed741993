package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY;
import static dev.hapax.postgres.schema.Tables.LIFECYCLE;

import dev.hapax.domain.Page;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads.Query;
import dev.hapax.postgres.read.ListFilter;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Select;
import org.jooq.impl.DSL;

/**
 * One page of entities, by lifecycle and id. All of a workspace are found by their key. Those in
 * some statuses are found by the index of free ones, for each lifecycle and status, and by the
 * index of claimed ones; each only as far as the page goes.
 */
final class EntityList {
  static final Condition IS_FREE = ENTITY.HOLD.eq(DSL.inline(EntityRows.FREE));
  static final Condition IS_TAKEN = ENTITY.HOLD.ne(DSL.inline(EntityRows.FREE));

  private final Query query;

  EntityList(Query query) {
    this.query = query;
  }

  Page<Entity, EntityId> page(ReadSession session) throws SQLException {
    var found = KeyedEntities.find(session, query.workspace(), keys(), query.size());
    return new Page<>(
        found.entities(),
        found.isMore() ? Optional.of(found.entities().getLast().id()) : Optional.empty());
  }

  Select<Record> keys() {
    if (query.claimed() || query.claimedBefore().isPresent()) {
      return taken();
    }
    return query.statuses().isEmpty() ? all() : free().unionAll(taken());
  }

  private Condition isInWorkspace() {
    return ENTITY.WORKSPACE.eq(query.workspace().name());
  }

  private Condition isBehind(Field<String> lifecycle, Field<String> id) {
    var conditions = new ArrayList<Condition>();
    query.lifecycle().ifPresent(name -> conditions.add(lifecycle.eq(name)));
    query
        .after()
        .ifPresent(last -> conditions.add(DSL.row(lifecycle, id).gt(last.lifecycle(), last.id())));
    return DSL.and(conditions);
  }

  private Select<Record> all() {
    return first(DSL.and(isInWorkspace(), isBehind(ENTITY.LIFECYCLE, ENTITY.ID)));
  }

  private Select<Record> first(Condition which) {
    return DSL.select(EntityTable.NAMES)
        .from(ENTITY)
        .where(which)
        .orderBy(ENTITY.LIFECYCLE, ENTITY.ID)
        .limit(DSL.inline(query.size() + 1));
  }

  private Select<Record> free() {
    var status = DSL.field(DSL.name("wanted", "status"), String.class);
    var wanted = DSL.unnest(query.statuses().toArray(String[]::new)).as("wanted", "status");
    var conditions = new ArrayList<Condition>();
    conditions.add(LIFECYCLE.WORKSPACE.eq(query.workspace().name()));
    query.lifecycle().ifPresent(name -> conditions.add(LIFECYCLE.NAME.eq(name)));
    query.after().ifPresent(last -> conditions.add(LIFECYCLE.NAME.ge(last.lifecycle())));
    // no id is empty
    var behind =
        query
            .after()
            .<Field<String>>map(
                last ->
                    DSL.when(LIFECYCLE.NAME.eq(last.lifecycle()), last.id())
                        .otherwise(DSL.inline("")))
            .orElse(DSL.inline(""));
    var entity =
        DSL.select(EntityTable.NAMES)
            .from(ENTITY)
            .where(
                isInWorkspace(),
                ENTITY.LIFECYCLE.eq(LIFECYCLE.NAME),
                ENTITY.STATUS.eq(status),
                IS_FREE,
                ENTITY.ID.gt(behind))
            .orderBy(ENTITY.ID)
            .limit(DSL.inline(query.size() + 1))
            .asTable("s");
    return DSL.select(entity.fields())
        .from(LIFECYCLE, wanted, DSL.lateral(entity))
        .where(conditions);
  }

  private Select<Record> taken() {
    var conditions = new ArrayList<Condition>();
    conditions.add(isInWorkspace());
    conditions.add(IS_TAKEN);
    conditions.add(isBehind(ENTITY.LIFECYCLE, ENTITY.ID));
    conditions.add(ListFilter.isOneOf(query.statuses(), ENTITY.STATUS));
    query
        .claimedBefore()
        .ifPresent(time -> conditions.add(ENTITY.SINCE.lt(time.atOffset(ZoneOffset.UTC))));
    return first(DSL.and(conditions));
  }
}
