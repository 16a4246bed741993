package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY;

import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads.Leases;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.ScanStart;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Select;
import org.jooq.SelectConditionStep;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/** Finds entities that block a change of their lifecycle, or whose lease expired, by indexes. */
final class StuckEntityQuery {
  static final String STALE =
      RenderedSql.text(
          DSL.select(EntityTable.NAMES)
              .from(ENTITY)
              .where(
                  ENTITY.WORKSPACE.eq((String) null),
                  ENTITY.MODULE.eq((String) null),
                  EntityList.IS_TAKEN,
                  ENTITY.LEASE_UNTIL.le(DSL.currentOffsetDateTime()),
                  ScanStart.isWithin(ENTITY.LEASE_UNTIL, DSL.val(0L)))
              .orderBy(ENTITY.LEASE_UNTIL)
              .limit(DSL.val(0)));

  private static final Field<Long> BACK = DSL.field(DSL.name("back"), Long.class);

  private static final UnnestRows<Leases> LEASES =
      new UnnestRows<>(
          "j",
          List.of(
              new Column<>(
                  ENTITY.WORKSPACE.getName(),
                  Kind.TEXT,
                  leases -> leases.janitor().workspace().name()),
              new Column<>(ENTITY.MODULE.getName(), Kind.TEXT, leases -> leases.janitor().module()),
              new Column<>(
                  BACK.getName(), Kind.LONG, leases -> ScanStart.micros(leases.window()))));

  private static final String FIRST_STALE = RenderedSql.text(firstStale());

  private StuckEntityQuery() {}

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
                ENTITY.WORKSPACE.eq(LEASES.get(ENTITY.WORKSPACE)),
                ENTITY.MODULE.eq(LEASES.get(ENTITY.MODULE)),
                EntityList.IS_TAKEN,
                ScanStart.isWithin(ENTITY.LEASE_UNTIL, LEASES.get(BACK)))
            .orderBy(ENTITY.LEASE_UNTIL)
            .limit(DSL.inline(1))
            .asTable("e");
    return DSL.select(LEASES.number(), first.field("micros"))
        .from(LEASES.table(), DSL.lateral(first));
  }

  static Map<JanitorId, Duration> firstStale(ReadSession session, List<Leases> leases)
      throws SQLException {
    var first = new HashMap<JanitorId, Duration>();
    var pipeline = session.pipeline();
    pipeline.query(
        FIRST_STALE,
        LEASES.parameters(leases),
        row -> first.put(leases.get(row.getInt(1) - 1).janitor(), Micros.duration(row.getLong(2))));
    pipeline.runPlannedAnew();
    return first;
  }

  static List<EntityId> stale(ReadSession session, Leases leases, int atMost) throws SQLException {
    var janitor = leases.janitor();
    return ids(
        session, janitor, STALE, janitor.module(), ScanStart.micros(leases.window()), atMost);
  }

  private static List<EntityId> ids(
      ReadSession session, JanitorId janitor, String select, Object... behindWorkspace)
      throws SQLException {
    var ids = new ArrayList<EntityId>();
    var workspace = janitor.workspace();
    var parameters = new ArrayList<Object>(List.of(workspace.name()));
    parameters.addAll(List.of(behindWorkspace));
    IndexScan.query(session, select, parameters, row -> ids.add(EntityRows.id(workspace, row)));
    return ids;
  }

  /** Finds entities in one of these statuses, or whose claim can lead to one. */
  static List<Entity> stranded(
      ReadSession session, LifecycleId lifecycle, Set<String> statuses, int atMost)
      throws SQLException {
    var keys = strandedKeys(lifecycle, statuses, atMost);
    return KeyedEntities.find(session, lifecycle.workspace(), keys, atMost).entities();
  }

  static Select<Record> strandedKeys(LifecycleId lifecycle, Set<String> statuses, int atMost) {
    var isOfLifecycle =
        DSL.and(
            ENTITY.WORKSPACE.eq(lifecycle.workspace().name()),
            ENTITY.LIFECYCLE.eq(lifecycle.name()));
    var isThere = ENTITY.STATUS.in(statuses);
    var comesThere = DSL.or(isThere, ENTITY.TO_STATUS.in(statuses), ENTITY.REVERT_TO.in(statuses));
    return some(DSL.and(isOfLifecycle, EntityList.IS_FREE, isThere))
        .limit(DSL.inline(atMost))
        .unionAll(
            some(DSL.and(isOfLifecycle, EntityList.IS_TAKEN, comesThere))
                .orderBy(ENTITY.ID)
                .limit(DSL.inline(atMost)));
  }

  private static SelectConditionStep<Record> some(Condition which) {
    return DSL.select(EntityTable.NAMES).from(ENTITY).where(which);
  }
}
