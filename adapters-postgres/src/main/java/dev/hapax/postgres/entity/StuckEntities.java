package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY;

import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.Sent;
import dev.hapax.postgres.ledger.Sql;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.Micros;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jooq.Condition;
import org.jooq.Record;
import org.jooq.Select;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

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

  private static final Sent<JanitorId> JANITORS =
      new Sent<>(
          "j",
          List.of(
              new Column<>(ENTITY.WORKSPACE.getName(), Kind.TEXT, id -> id.workspace().name()),
              new Column<>(ENTITY.MODULE.getName(), Kind.TEXT, JanitorId::module)));

  private static final String FIRST_STALE = Sql.text(firstStale());

  private StuckEntities() {}

  private static Select<?> firstStale() {
    var first =
        DSL.select(
                DSL.field(
                        "extract(epoch FROM {0} - clock_timestamp()) * 1e6",
                        Double.class, ENTITY.LEASE_UNTIL)
                    .cast(SQLDataType.BIGINT)
                    .as("micros"))
            .from(ENTITY)
            .where(
                ENTITY.WORKSPACE.eq(JANITORS.get(ENTITY.WORKSPACE)),
                ENTITY.MODULE.eq(JANITORS.get(ENTITY.MODULE)),
                EntityList.IS_TAKEN)
            .orderBy(ENTITY.LEASE_UNTIL)
            .limit(DSL.inline(1))
            .asTable("e");
    return DSL.select(JANITORS.number(), first.field("micros"))
        .from(JANITORS.table(), DSL.lateral(first));
  }

  static Map<JanitorId, Duration> firstStale(Connection connection, List<JanitorId> janitors)
      throws SQLException {
    var first = new HashMap<JanitorId, Duration>();
    var pipeline = new Pipeline(connection);
    pipeline.query(
        FIRST_STALE,
        JANITORS.parameters(janitors),
        row -> first.put(janitors.get(row.getInt(1) - 1), Micros.duration(row.getLong(2))));
    pipeline.runPlannedAnew();
    return first;
  }

  static List<EntityId> stale(Connection connection, JanitorId janitor, int atMost)
      throws SQLException {
    return ids(connection, janitor, STALE, janitor.module(), atMost);
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
