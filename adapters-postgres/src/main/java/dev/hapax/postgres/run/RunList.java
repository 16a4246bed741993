package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;
import static dev.hapax.postgres.schema.Tables.RUN_LABEL;

import dev.hapax.domain.Page;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads.Query;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.postgres.ledger.Sql;
import dev.hapax.postgres.read.IndexScan;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.impl.DSL;

/**
 * One page of runs, newest first, which is the order of their ids. Runs are looked through in that
 * order, by an index of one label or of the status if such a one is asked for, and only so many: a
 * page may be short, or even empty, and still not be the last one.
 */
final class RunList {
  /** How many runs are looked through, in growing steps: mostly the first ones are enough. */
  private static final List<Integer> STEPS = List.of(500, 9_500);

  /** Ids tell when they were drawn, by the clock of the node that did. */
  private static final Duration CLOCKS_DIFFER = Duration.ofDays(1);

  private static final int RANDOM_BITS = 16;
  private static final long LAST_SECOND = (-1L >>> RANDOM_BITS) / 1_000;

  private final Connection connection;
  private final RunLoad load;
  private final Query query;
  private final Optional<Map.Entry<String, String>> label;
  private final List<RunId> matching = new ArrayList<>();

  RunList(Connection connection, RunLoad load, Query query) {
    this.connection = connection;
    this.load = load;
    this.query = query;
    this.label = Optional.ofNullable(new TreeMap<>(query.labels()).firstEntry());
  }

  Page<Run, UUID> page() throws SQLException {
    var after = query.after();
    for (var step : STEPS) {
      after = look(after, step);
      if (after.isEmpty() || matching.size() > query.size()) {
        break;
      }
    }
    return matching.size() > query.size()
        ? load(
            matching.subList(0, query.size()), Optional.of(matching.get(query.size() - 1).uuid()))
        : load(matching, after);
  }

  /** Looks through so many; returns the last one if there are more. */
  private Optional<UUID> look(Optional<UUID> after, int number) throws SQLException {
    var seen = new ArrayList<UUID>(number);
    var select = candidates(after, number);
    IndexScan.query(
        connection,
        Sql.text(select),
        select.getBindValues(),
        row -> {
          seen.add(row.getObject(1, UUID.class));
          if (row.getBoolean(2)) {
            matching.add(new RunId(query.workspace(), seen.getLast()));
          }
        });
    return seen.size() < number ? Optional.empty() : Optional.of(seen.getLast());
  }

  private Select<?> candidates(Optional<UUID> after, int number) {
    var id = label.isPresent() ? RUN_LABEL.RUN_ID : RUN.ID;
    var candidate =
        DSL.select(id.as(RUN.ID))
            .from(label.isPresent() ? RUN_LABEL : RUN)
            .where(isCandidate(), isInRange(id, after))
            .orderBy(id.desc())
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

  /** What an index finds. */
  private Condition isCandidate() {
    if (label.isPresent()) {
      return isLabelled(label.get());
    }
    var workspace = RUN.WORKSPACE.eq(query.workspace().name());
    // a constant, so that it can be seen that the index has them
    return query
        .status()
        .filter(status -> status != RunStatus.COMPLETED)
        .map(status -> workspace.and(RUN.STATUS.eq(DSL.inline(RunStatusCode.of(status)))))
        .orElse(workspace);
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
    query
        .createdFrom()
        .ifPresent(from -> conditions.add(id.ge(firstIdAt(from, CLOCKS_DIFFER.negated()))));
    query
        .createdBefore()
        .ifPresent(before -> conditions.add(id.lt(firstIdAt(before, CLOCKS_DIFFER))));
    return DSL.and(conditions);
  }

  /** As version 7 has it: milliseconds first. */
  private static UUID firstIdAt(Instant time, Duration later) {
    var seconds = time.getEpochSecond() + later.toSeconds();
    return new UUID((Math.clamp(seconds, 0, LAST_SECOND) * 1_000) << RANDOM_BITS, 0);
  }

  private Condition matches() {
    var conditions = new ArrayList<Condition>();
    query.status().ifPresent(s -> conditions.add(RUN.STATUS.eq(RunStatusCode.of(s))));
    query.definition().ifPresent(name -> conditions.add(RUN.DEFINITION_NAME.eq(name)));
    query
        .createdFrom()
        .ifPresent(from -> conditions.add(RUN.CREATED_AT.ge(from.atOffset(ZoneOffset.UTC))));
    query
        .createdBefore()
        .ifPresent(before -> conditions.add(RUN.CREATED_AT.lt(before.atOffset(ZoneOffset.UTC))));
    query.labels().entrySet().stream()
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

  /** The page ends early if its runs are too large together. */
  private Page<Run, UUID> load(List<RunId> ids, Optional<UUID> next) throws SQLException {
    var found = load.find(connection, ids);
    return new Page<>(
        found.runs(),
        found.tooMuch().isEmpty() ? next : Optional.of(found.runs().getLast().id().uuid()));
  }
}
