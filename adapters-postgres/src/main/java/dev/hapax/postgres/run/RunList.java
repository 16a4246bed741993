package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;
import static dev.hapax.postgres.schema.Tables.RUN_LABEL;

import dev.hapax.domain.Page;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunFilter;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads.Query;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.ListFilter;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record1;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * One page of runs, newest first, which is the order of their ids. The query scans candidates in
 * that order: by the index of one label, of steps in doubt, or of each status if no completed run
 * is wanted, or all. It scans a bounded number: a page may be short, or even empty, and still not
 * be the last one.
 */
final class RunList {
  /** How many runs are scanned, in growing steps: mostly the first step is enough. */
  private static final List<Integer> STEPS = List.of(500, 9_500);

  /** The tolerance for the time in an id, which is that of the node that drew it. */
  private static final Duration CLOCKS_DIFFER = Duration.ofDays(1);

  private static final int RANDOM_BITS = 16;
  private static final long LAST_SECOND = (-1L >>> RANDOM_BITS) / 1_000;

  private final ReadSession session;
  private final RunLoader load;
  private final Query query;
  private final RunFilter filter;
  private final Set<RunStatus> statuses;
  private final Optional<Map.Entry<String, String>> label;
  private final List<RunId> matching = new ArrayList<>();

  RunList(ReadSession session, RunLoader load, Query query) {
    this.session = session;
    this.load = load;
    this.query = query;
    this.filter = query.filter();
    this.statuses = filter.possibleStatuses();
    this.label = Optional.ofNullable(new TreeMap<>(filter.labels()).firstEntry());
  }

  Page<Run, UUID> page() throws SQLException {
    if (statuses.isEmpty()) {
      return new Page<>(List.of(), Optional.empty());
    }
    var after = query.after();
    for (var step : STEPS) {
      after = scanNext(after, step);
      if (after.isEmpty() || matching.size() > query.size()) {
        break;
      }
    }
    return matching.size() > query.size()
        ? load(
            matching.subList(0, query.size()), Optional.of(matching.get(query.size() - 1).uuid()))
        : load(matching, after);
  }

  /** Scans so many runs; returns the last one if there are more. */
  private Optional<UUID> scanNext(Optional<UUID> after, int number) throws SQLException {
    var seen = new ArrayList<UUID>(number);
    var select = candidates(after, number);
    IndexScan.query(
        session,
        RenderedSql.text(select),
        select.getBindValues(),
        row -> {
          seen.add(row.getObject(1, UUID.class));
          if (row.getBoolean(2)) {
            matching.add(new RunId(query.workspace(), seen.getLast()));
          }
        });
    return seen.size() < number ? Optional.empty() : Optional.of(seen.getLast());
  }

  /** Selects the next runs, each with whether it matches. */
  Select<?> candidates(Optional<UUID> after, int number) {
    var scanned = DSL.field(DSL.name("s", RUN.ID.getName()), UUID.class);
    var candidate =
        DSL.select(scanned)
            .from(scan(after, number).asTable("s"))
            .orderBy(scanned.desc())
            .limit(DSL.inline(number))
            .asTable("c");
    var place = DSL.field(DSL.name("c", RUN.ID.getName()), UUID.class);
    var run =
        DSL.select(DSL.field(matches()).as("matches"))
            .from(RUN)
            .where(RUN.WORKSPACE.eq(query.workspace().name()), RUN.ID.eq(place))
            .limit(DSL.inline(1))
            .asTable("r");
    return DSL.select(place)
        .select(run.fields())
        .from(candidate, DSL.lateral(run))
        .orderBy(place.desc());
  }

  /** The scan of an index. Scans of several statuses are merged, as far as they are needed. */
  private Select<Record1<UUID>> scan(Optional<UUID> after, int number) {
    if (label.isPresent()) {
      return scan(RUN_LABEL, RUN_LABEL.RUN_ID, isLabelled(label.get()), after, number);
    }
    var workspace = RUN.WORKSPACE.eq(query.workspace().name());
    if (filter.inDoubt()) {
      return scan(RUN, RUN.ID, workspace.and(isInDoubt()), after, number);
    }
    if (statuses.contains(RunStatus.COMPLETED)) {
      return scan(RUN, RUN.ID, workspace, after, number);
    }
    return statuses.stream()
        .map(status -> scan(RUN, RUN.ID, workspace.and(is(status)), after, number))
        .reduce(Select::unionAll)
        .orElseThrow();
  }

  private Select<Record1<UUID>> scan(
      Table<?> table, Field<UUID> id, Condition which, Optional<UUID> after, int number) {
    return DSL.select(id.as(RUN.ID))
        .from(table)
        .where(which, isInRange(id, after))
        .orderBy(id.desc())
        .limit(DSL.inline(number));
  }

  /** Compares with a constant: the planner sees that the partial index has these rows. */
  private static Condition is(RunStatus status) {
    return RUN.STATUS.eq(DSL.inline(RunStatusCode.of(status)));
  }

  /** By constants, as the condition of the partial index. */
  private static Condition isInDoubt() {
    return RUN.PHASE.eq(DSL.inline(RunRows.HELD)).and(RUN.DUE_AT.isNull());
  }

  private Condition isLabelled(Map.Entry<String, String> which) {
    return DSL.and(
        RUN_LABEL.WORKSPACE.eq(query.workspace().name()),
        RUN_LABEL.NAME.eq(which.getKey()),
        RUN_LABEL.VALUE.eq(which.getValue()));
  }

  private Condition isInRange(Field<UUID> id, Optional<UUID> after) {
    var conditions = new ArrayList<Condition>();
    after.ifPresent(last -> conditions.add(id.lt(last)));
    filter
        .created()
        .from()
        .ifPresent(from -> conditions.add(id.ge(firstIdAt(from, CLOCKS_DIFFER.negated()))));
    // a run that ended before a time was created before it
    Stream.of(filter.created(), filter.ended())
        .flatMap(range -> range.before().stream())
        .min(Comparator.naturalOrder())
        .ifPresent(before -> conditions.add(id.lt(firstIdAt(before, CLOCKS_DIFFER))));
    return DSL.and(conditions);
  }

  /** The first id of a time: a UUID of version 7 begins with milliseconds. */
  private static UUID firstIdAt(Instant time, Duration later) {
    var seconds = time.getEpochSecond() + later.toSeconds();
    return new UUID((Math.clamp(seconds, 0, LAST_SECOND) * 1_000) << RANDOM_BITS, 0);
  }

  private Condition matches() {
    var conditions = new ArrayList<Condition>();
    if (statuses.size() < RunStatus.values().length) {
      conditions.add(DSL.or(statuses.stream().map(RunList::is).toList()));
    }
    conditions.add(ListFilter.isOneOf(filter.definitions(), RUN.DEFINITION_NAME));
    if (filter.inDoubt()) {
      conditions.add(isInDoubt());
    }
    filter.failureCode().ifPresent(code -> conditions.add(RUN.FAILURE_CODE.eq(code)));
    conditions.add(ListFilter.isIn(filter.created(), RUN.CREATED_AT));
    conditions.add(ListFilter.isIn(filter.ended(), RUN.UNTIL));
    filter.labels().entrySet().stream()
        .filter(which -> !label.equals(Optional.of(which)))
        .forEach(
            which ->
                conditions.add(
                    DSL.exists(
                        DSL.selectOne()
                            .from(RUN_LABEL)
                            .where(isLabelled(which), RUN_LABEL.RUN_ID.eq(RUN.ID)))));
    return DSL.and(conditions);
  }

  /** Loads a page, which ends early if its runs are too large together. */
  private Page<Run, UUID> load(List<RunId> ids, Optional<UUID> next) throws SQLException {
    var found = load.find(session, ids);
    return new Page<>(
        found.runs(),
        found.leftOut().isEmpty() ? next : Optional.of(found.runs().getLast().id().uuid()));
  }
}
