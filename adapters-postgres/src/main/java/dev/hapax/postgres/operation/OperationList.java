package dev.hapax.postgres.operation;

import static dev.hapax.postgres.schema.Tables.OPERATION;
import static dev.hapax.postgres.schema.Tables.OPERATION_RESULT;

import dev.hapax.domain.Page;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationFilter;
import dev.hapax.domain.operation.OperationReads.Listed;
import dev.hapax.domain.operation.OperationReads.Position;
import dev.hapax.domain.operation.OperationReads.Query;
import dev.hapax.postgres.ledger.SizeBoundedSelect;
import dev.hapax.postgres.read.ListFilter;
import dev.hapax.postgres.read.ReadSession;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.SQLDialect;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * One page of operations, newest grant first. The finished ones have no index by time, which would
 * cost every write, only a block range index: the page is searched in the last minute, then in ever
 * longer stretches before it.
 */
final class OperationList {
  private static final List<Duration> STRETCHES =
      List.of(
          Duration.ofMinutes(1),
          Duration.ofMinutes(20),
          Duration.ofHours(8),
          Duration.ofDays(7),
          Duration.ofDays(3_650));

  /** Sorts hashes as PostgreSQL does: as text they sort as their bytes. */
  private static final Comparator<Listed> NEWEST_FIRST =
      Comparator.comparing((Listed listed) -> listed.position().startedAt())
          .reversed()
          .thenComparing(listed -> listed.position().hash().toString());

  private static final Set<Operation.State> LIVE =
      EnumSet.of(
          Operation.State.IN_PROGRESS, Operation.State.INDETERMINATE, Operation.State.RELEASED);

  private static final Set<Operation.State> FINISHED =
      EnumSet.of(Operation.State.COMPLETED, Operation.State.REJECTED);

  private static final Field<Integer> PLACE = DSL.field(DSL.name("place"), Integer.class);

  private final DSLContext sql;
  private final Query query;
  private final OperationFilter filter;
  private final Instant now;
  private final List<Row> found = new ArrayList<>();

  /**
   * An operation that was found.
   *
   * @param isTruncated its payloads were left out, because those before it are large
   */
  private record Row(Listed listed, boolean isTruncated) {}

  OperationList(ReadSession session, Query query, Instant now) throws SQLException {
    this.sql = DSL.using(session.connection(), SQLDialect.POSTGRES);
    this.query = query;
    this.filter = query.filter();
    this.now = now;
  }

  Page<Listed, Position> page() throws SQLException {
    if (!states(OPERATION).isEmpty()) {
      read(OPERATION, filter.inDoubt() ? isInDoubt() : DSL.noCondition());
    }
    if (!states(OPERATION_RESULT).isEmpty()) {
      readFinished();
    }
    found.sort(Comparator.comparing(Row::listed, NEWEST_FIRST));
    var items =
        found.stream()
            .limit(query.size())
            .takeWhile(row -> !row.isTruncated())
            .map(Row::listed)
            .toList();
    return new Page<>(
        items,
        found.size() > items.size() ? Optional.of(items.getLast().position()) : Optional.empty());
  }

  /** The requested states that this table has. */
  private Set<Operation.State> states(Table<?> table) {
    var states = EnumSet.copyOf(table.equals(OPERATION) ? LIVE : FINISHED);
    states.retainAll(filter.possibleStates());
    return states;
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
    var newest = newestStart();
    Condition stretch = DSL.noCondition();
    for (var length : STRETCHES) {
      var from = newest.minus(length);
      read(OPERATION_RESULT, stretch.and(OPERATION_RESULT.STARTED_AT.ge(at(from))));
      if (found.stream().filter(row -> !startedAt(row).isBefore(from)).count() > query.size()) {
        break;
      }
      stretch = OPERATION_RESULT.STARTED_AT.lt(at(from));
    }
  }

  /** The latest start that can match. An operation that ended before a time began before it. */
  private Instant newestStart() {
    var newest =
        Stream.of(
                query.after().map(Position::startedAt),
                filter.started().before(),
                filter.ended().before())
            .flatMap(Optional::stream)
            .reduce(now, (one, other) -> one.isBefore(other) ? one : other);
    return newest.isBefore(Instant.EPOCH) ? Instant.EPOCH : newest;
  }

  private static Instant startedAt(Row row) {
    return row.listed().position().startedAt();
  }

  /** Reads one more than the page holds, to know whether there is a next page. */
  private void read(Table<?> table, Condition stretch) throws SQLException {
    var id = column(table, OPERATION.ID);
    var select = select(table, stretch);
    select.attach(sql.configuration());
    try (var rows = select.fetchResultSet()) {
      while (rows.next()) {
        var operation = operation(table, rows);
        var hash = rows.getObject(id.getName(), UUID.class);
        var listed = new Listed(new Position(operation.grant().at(), hash), operation);
        found.add(new Row(listed, query.payloads() && SizeBoundedSelect.isTruncated(rows)));
      }
    }
  }

  Select<?> select(Table<?> table, Condition stretch) {
    var payloads = payloads(table);
    var startedAt = column(table, OPERATION.STARTED_AT);
    var id = column(table, OPERATION.ID);
    var page =
        DSL.select(
                Stream.of(table.fields())
                    .<Field<?>>map(
                        field ->
                            query.payloads() || !payloads.contains(field)
                                ? field
                                : DSL.castNull(field).as(field))
                    .toList())
            .from(table)
            .where(stretch, matches(table), isRemembered(table))
            .orderBy(startedAt.desc(), id)
            .limit(DSL.inline(query.size() + 1));
    return query.payloads() ? portion(page.asTable("p"), payloads) : page;
  }

  /** Selects the payloads only up to a number of bytes. */
  private static Select<?> portion(Table<?> page, List<? extends Field<?>> payloads) {
    var startedAt = column(page, OPERATION.STARTED_AT);
    var place = DSL.rowNumber().over().orderBy(startedAt.desc(), column(page, OPERATION.ID));
    return SizeBoundedSelect.of(
        DSL.select(place.as(PLACE)).select(page.fields()).from(page), PLACE, payloads);
  }

  private static List<? extends Field<?>> payloads(Table<?> table) {
    return table.equals(OPERATION)
        ? List.of(OPERATION.FAILURE_JSON, OPERATION.FAILURE_BYTES)
        : List.of(OPERATION_RESULT.JSON, OPERATION_RESULT.BYTES);
  }

  private Operation operation(Table<?> table, ResultSet row) throws SQLException {
    return table.equals(OPERATION)
        ? OperationRows.liveWithFailure(query.workspace(), row)
        : OperationRows.finished(query.workspace(), row);
  }

  private Condition matches(Table<?> table) {
    var isLive = table.equals(OPERATION);
    var startedAt = column(table, OPERATION.STARTED_AT);
    var conditions = new ArrayList<Condition>();
    conditions.add(column(table, OPERATION.WORKSPACE).eq(query.workspace().name()));
    conditions.add(column(table, OPERATION.STATE).in(codes(states(table))));
    conditions.add(ListFilter.isOneOf(filter.operations(), column(table, OPERATION.OPERATION_)));
    filter
        .failureCode()
        .ifPresent(code -> conditions.add(column(table, OPERATION.FAILURE_CODE).eq(code)));
    conditions.add(ListFilter.isIn(filter.started(), startedAt));
    conditions.add(
        ListFilter.isIn(filter.ended(), isLive ? OPERATION.UNTIL : OPERATION_RESULT.ENDED_AT));
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

  /** The codes as constants: the planner sees which partial index has these rows. */
  private static List<Param<Short>> codes(Set<Operation.State> states) {
    return states.stream().map(OperationRows::code).map(DSL::inline).toList();
  }

  private Condition isRemembered(Table<?> table) {
    var expires = column(table, OPERATION.EXPIRES_AT).gt(at(now));
    return table.equals(OPERATION)
        ? expires.or(OPERATION.STATE.ne(OperationRows.code(Operation.State.RELEASED)))
        : expires.and(OPERATION_RESULT.PURGE_ON.ge(DSL.currentLocalDate()));
  }

  /** The column of this name, which both tables have. */
  private static <T> Field<T> column(Table<?> table, Field<T> field) {
    return Objects.requireNonNull(table.field(field.getName(), field.getDataType()));
  }

  private static OffsetDateTime at(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }
}
