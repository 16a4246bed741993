package dev.hapax.postgres.restore;

import static dev.hapax.postgres.schema.Tables.API_KEY;
import static dev.hapax.postgres.schema.Tables.ENTITY;
import static dev.hapax.postgres.schema.Tables.NODE;
import static dev.hapax.postgres.schema.Tables.OPERATION;
import static dev.hapax.postgres.schema.Tables.RESTORATION;
import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.Fence;
import dev.hapax.postgres.schema.TableTransaction;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * Lets servers use a database that was restored or moved. A restored one is in an earlier state, so
 * it begins an epoch: all earlier grants are revoked, by fences that are higher than all of them.
 *
 * @param kind what the database is for
 * @param exclusive no server can use the database; otherwise none may be registered
 */
public record RestoreEpoch(RestoreKind kind, boolean exclusive) {
  private static final short IN_PROGRESS = 1;
  private static final short INDETERMINATE = 2;
  private static final short HELD = 2;
  private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(1);

  /** Begins the epoch in one transaction, as the owner of the tables. */
  public RestoreOutcome begin(DataSource database) throws SQLException, IOException {
    return TableTransaction.run(database, this::begin);
  }

  private RestoreOutcome begin(DSLContext sql) {
    var running = exclusive ? Optional.<RestoreOutcome>empty() : runningServer(sql);
    if (running.isPresent()) {
      return running.get();
    }
    var now =
        sql.select(DSL.field("clock_timestamp()", OffsetDateTime.class))
            .fetchSingle()
            .value1()
            .toInstant();
    var behind = Duration.between(now, newestFence(sql));
    if (behind.compareTo(CLOCK_TOLERANCE) > 0) {
      return new RestoreOutcome.ClockBehind(behind);
    }
    var state = new RestoredStateScan(sql).read();
    sql.deleteFrom(NODE).execute();
    sql.execute("SELECT hapax.adopt_identity()");
    return switch (kind) {
      case MOVED -> new RestoreOutcome.Adopted();
      case REPLACEMENT -> begun(sql, now, state);
      case COPY -> {
        sql.update(API_KEY)
            .set(API_KEY.REVOKED_AT, now.atOffset(ZoneOffset.UTC))
            .where(API_KEY.REVOKED_AT.isNull())
            .execute();
        yield begun(sql, now, state);
      }
    };
  }

  private RestoreOutcome begun(DSLContext sql, Instant now, RestoredState state) {
    revokeGrants(sql, Fence.first(now));
    return new RestoreOutcome.Begun(insertEpoch(sql, state), state);
  }

  private static Optional<RestoreOutcome> runningServer(DSLContext sql) {
    return sql.fetchOptional(
            "SELECT id::text, version FROM hapax.live_node ORDER BY seen_at DESC LIMIT 1")
        .map(
            row ->
                new RestoreOutcome.ServerRuns(row.get(0, String.class), row.get(1, String.class)));
  }

  /** When the newest fence was granted, by the clock of then. */
  private static Instant newestFence(DSLContext sql) {
    return sql.select(
            DSL.coalesce(
                DSL.greatest(
                    newest(OPERATION, OPERATION.FENCE),
                    newest(RUN, RUN.FENCE),
                    newest(ENTITY, ENTITY.FENCE)),
                DSL.inline(0L)))
        .fetchSingle(row -> Instant.EPOCH.plus(row.value1(), ChronoUnit.MICROS));
  }

  private static Field<Long> newest(Table<?> table, Field<Long> fence) {
    return DSL.field(DSL.select(DSL.max(fence)).from(table));
  }

  /**
   * Grants are compared by their fences, so a higher one revokes them. Actions without a claim
   * state are granted above the fence of their entity. A pending completion is fixed, so its claim
   * has to stay.
   */
  private static void revokeGrants(DSLContext sql, Fence floor) {
    sql.update(OPERATION)
        .set(OPERATION.FENCE, above(OPERATION.FENCE, floor))
        .where(OPERATION.STATE.in(IN_PROGRESS, INDETERMINATE), OPERATION.PENDING_INTENT.isNull())
        .execute();
    sql.update(RUN)
        .set(RUN.FENCE, above(RUN.FENCE, floor))
        .where(RUN.PHASE.eq(HELD), RUN.PENDING_INTENT.isNull())
        .execute();
    sql.update(ENTITY)
        .set(ENTITY.FENCE, above(ENTITY.FENCE, floor))
        .where(ENTITY.PENDING_INTENT.isNull())
        .execute();
  }

  private static Field<Long> above(Field<Long> fence, Fence floor) {
    return DSL.greatest(fence.plus(1), DSL.val(floor.value()));
  }

  private int insertEpoch(DSLContext sql, RestoredState state) {
    int epoch =
        1
            + sql.select(DSL.coalesce(DSL.max(RESTORATION.EPOCH), DSL.inline(0)))
                .from(RESTORATION)
                .fetchSingle()
                .value1();
    sql.insertInto(RESTORATION)
        .set(RESTORATION.EPOCH, epoch)
        .set(RESTORATION.KIND, kind.toString())
        .set(
            RESTORATION.STATE_OF,
            state.lastHeartbeat().map(at -> at.atOffset(ZoneOffset.UTC)).orElse(null))
        .execute();
    return epoch;
  }
}
