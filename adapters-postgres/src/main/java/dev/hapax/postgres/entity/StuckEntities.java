package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY;

import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.postgres.ledger.Sql;
import dev.hapax.postgres.read.IndexScan;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.Record;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** Finds entities that are in the way, or that a janitor has to look at; each by an index. */
final class StuckEntities {
  static final String STALE =
      Sql.text(
          DSL.select(EntityTable.NAMES)
              .from(ENTITY)
              .where(
                  ENTITY.WORKSPACE.eq((String) null),
                  ENTITY.MODULE.eq((String) null),
                  EntityList.IS_TAKEN,
                  ENTITY.LEASE_UNTIL.le(DSL.currentOffsetDateTime()))
              .orderBy(ENTITY.LEASE_UNTIL)
              .limit(DSL.val(0)));

  static final String POLLED =
      Sql.text(
          DSL.select(EntityTable.NAMES)
              .from(ENTITY)
              .where(
                  ENTITY.WORKSPACE.eq((String) null),
                  ENTITY.POLL_ID.eq((UUID) null),
                  ENTITY.MODULE.eq((String) null)));

  private StuckEntities() {}

  static List<EntityId> stale(Connection connection, JanitorId janitor, int atMost)
      throws SQLException {
    return ids(connection, janitor, STALE, janitor.module(), atMost);
  }

  static List<EntityId> polled(Connection connection, JanitorId janitor, UUID poll)
      throws SQLException {
    return ids(connection, janitor, POLLED, poll, janitor.module());
  }

  private static List<EntityId> ids(
      Connection connection, JanitorId janitor, String select, Object first, Object second)
      throws SQLException {
    var ids = new ArrayList<EntityId>();
    var workspace = janitor.workspace();
    IndexScan.query(
        connection,
        select,
        List.of(workspace.name(), first, second),
        row -> ids.add(EntityRows.id(workspace, row)));
    return ids;
  }

  /** Those who are there, and those who can come there from where they are. */
  static List<Entity> stranded(
      Connection connection, LifecycleId lifecycle, Set<String> statuses, int atMost)
      throws SQLException {
    var keys = strandedKeys(lifecycle, statuses, atMost);
    return KeyedEntities.find(connection, lifecycle.workspace(), keys, atMost).entities();
  }

  static Select<Record> strandedKeys(LifecycleId lifecycle, Set<String> statuses, int atMost) {
    var isOfLifecycle =
        DSL.and(
            ENTITY.WORKSPACE.eq(lifecycle.workspace().name()),
            ENTITY.LIFECYCLE.eq(lifecycle.name()));
    var isThere = ENTITY.STATUS.in(statuses);
    var comesThere = DSL.or(isThere, ENTITY.TO_STATUS.in(statuses), ENTITY.REVERT_TO.in(statuses));
    return some(DSL.and(isOfLifecycle, EntityList.IS_FREE, isThere), atMost)
        .unionAll(some(DSL.and(isOfLifecycle, EntityList.IS_TAKEN, comesThere), atMost));
  }

  private static Select<Record> some(Condition which, int atMost) {
    return DSL.select(EntityTable.NAMES).from(ENTITY).where(which).limit(DSL.inline(atMost));
  }
}
