package dev.hapax.postgres.operation;

import static dev.hapax.postgres.schema.Tables.OPERATION;
import static dev.hapax.postgres.schema.Tables.OPERATION_RESULT;

import dev.hapax.domain.Page;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationReads.Listed;
import dev.hapax.domain.operation.OperationReads.Position;
import dev.hapax.domain.operation.OperationReads.Query;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * One page of operations, newest grant first. The finished ones have no index by time that every
 * write would pay for, only a summary of their blocks: so the page is looked for in the last
 * minute, then in ever longer stretches before it.
 */
final class OperationList {
  private static final List<Duration> STRETCHES =
      List.of(
          Duration.ofMinutes(1),
          Duration.ofMinutes(20),
          Duration.ofHours(8),
          Duration.ofDays(7),
          Duration.ofDays(3_650));

  /** The order of the hashes is the database's: as text they sort as their bytes do. */
  private static final Comparator<Listed> NEWEST_FIRST =
      Comparator.comparing((Listed listed) -> listed.position().startedAt())
          .reversed()
          .thenComparing(listed -> listed.position().hash().toString());

  private final DSLContext sql;
  private final Query query;
  private final Instant now;
  private final List<Listed> found = new ArrayList<>();

  OperationList(Connection connection, Query query, Instant now) {
    this.sql = DSL.using(connection, SQLDialect.POSTGRES);
    this.query = query;
    this.now = now;
  }

  Page<Listed, Position> page() throws SQLException {
    read(OPERATION, query.inDoubt() ? isInDoubt() : DSL.noCondition());
    if (!query.inDoubt()) {
      readFinished();
    }
    found.sort(NEWEST_FIRST);
    var items = found.stream().limit(query.size()).toList();
    return new Page<>(
        items,
        found.size() > items.size() ? Optional.of(items.getLast().position()) : Optional.empty());
  }

  private Condition isInDoubt() {
    return OPERATION
        .STATE
        .eq(OperationRows.code(Operation.State.INDETERMINATE))
        .or(
            OPERATION
                .STATE
                .eq(OperationRows.code(Operation.State.IN_PROGRESS))
                .and(OPERATION.HOLD.isTrue())
                .and(OPERATION.UNTIL.le(at(now))));
  }

  private void readFinished() throws SQLException {
    var newest = query.after().map(Position::startedAt).orElse(now);
    Condition stretch = DSL.noCondition();
    for (var length : STRETCHES) {
      var from = newest.minus(length);
      read(OPERATION_RESULT, stretch.and(OPERATION_RESULT.STARTED_AT.ge(at(from))));
      if (found.stream().filter(l -> !l.position().startedAt().isBefore(from)).count()
          > query.size()) {
        break;
      }
      stretch = OPERATION_RESULT.STARTED_AT.lt(at(from));
    }
  }

  /** Reads one more than the page holds: it tells that there is a next one. */
  private void read(Table<?> table, Condition stretch) throws SQLException {
    var startedAt = column(table, OPERATION.STARTED_AT);
    var id = column(table, OPERATION.ID);
    try (var rows =
        sql.select(table.fields())
            .from(table)
            .where(stretch, matches(table), isRemembered(table))
            .orderBy(startedAt.desc(), id)
            .limit(query.size() + 1)
            .fetchResultSet()) {
      while (rows.next()) {
        var operation = operation(table, rows);
        var hash = rows.getObject(id.getName(), UUID.class);
        found.add(new Listed(new Position(operation.grant().at(), hash), operation));
      }
    }
  }

  private Operation operation(Table<?> table, ResultSet row) throws SQLException {
    return table.equals(OPERATION)
        ? OperationRows.liveWithFailure(query.workspace(), row)
        : OperationRows.finished(query.workspace(), row);
  }

  private Condition matches(Table<?> table) {
    var startedAt = column(table, OPERATION.STARTED_AT);
    var conditions = new ArrayList<Condition>();
    conditions.add(column(table, OPERATION.WORKSPACE).eq(query.workspace().name()));
    query
        .state()
        .ifPresent(s -> conditions.add(column(table, OPERATION.STATE).eq(OperationRows.code(s))));
    query
        .operation()
        .ifPresent(name -> conditions.add(column(table, OPERATION.OPERATION_).eq(name)));
    query.startedFrom().ifPresent(from -> conditions.add(startedAt.ge(at(from))));
    query.startedBefore().ifPresent(before -> conditions.add(startedAt.lt(at(before))));
    query
        .after()
        .ifPresent(
            last ->
                conditions.add(
                    startedAt
                        .lt(at(last.startedAt()))
                        .or(
                            startedAt
                                .eq(at(last.startedAt()))
                                .and(column(table, OPERATION.ID).gt(last.hash())))));
    return DSL.and(conditions);
  }

  private Condition isRemembered(Table<?> table) {
    var expires = column(table, OPERATION.EXPIRES_AT).gt(at(now));
    return table.equals(OPERATION)
        ? expires.or(OPERATION.STATE.ne(OperationRows.code(Operation.State.RELEASED)))
        : expires.and(OPERATION_RESULT.PURGE_ON.ge(DSL.currentLocalDate()));
  }

  /** The column of this name; both tables have those that are asked for. */
  private static <T> Field<T> column(Table<?> table, Field<T> field) {
    return Objects.requireNonNull(table.field(field.getName(), field.getDataType()));
  }

  private static OffsetDateTime at(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }
}
