package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.run.Run;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowVersion;
import dev.hapax.postgres.ledger.UnnestRows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.UpdateConditionStep;
import org.jooq.impl.DSL;

/**
 * Updates the rows of runs as they were read. Sends only the columns that change in one of them,
 * since each column costs.
 */
final class RunUpdate {
  private static final List<Column<Run>> SMALL = RunColumns.CHANGING;

  private static final List<Column<Run>> COLUMNS =
      RunColumns.concat(SMALL, RunColumns.concat(RunColumns.STATE, RunColumns.OUTPUT));
  private static final Field<?> DUE_AT = DSL.field(DSL.name(RUN.DUE_AT.getName()));
  private static final long ALL_SMALL = bits(0, SMALL.size());
  private static final long STATE = bits(SMALL.size(), RunColumns.STATE.size());
  private static final long OUTPUT =
      bits(SMALL.size() + RunColumns.STATE.size(), RunColumns.OUTPUT.size());

  /** Whether the versions of the rows are returned. */
  private static final long RETURNED = bits(COLUMNS.size(), 1);

  private static final List<Column<Changed>> ROW =
      RunColumns.concat(
          RunColumns.key(changed -> changed.after().id()),
          List.of(RowVersion.column(Changed::replaced)));

  /** The limit of shapes: each is a statement to prepare on each connection. */
  private static final int MAX_SHAPES = 64;

  private final Map<Long, Shape> shapes = new ConcurrentHashMap<>();

  private record Shape(UnnestRows<Changed> sent, String statement) {}

  /**
   * A run before and after.
   *
   * @param replaced the version of its row before
   */
  record Changed(Run before, Run after, RowVersion replaced) {
    /** Returns the columns whose values differ, a bit each. */
    private long columns() {
      var columns = RunMemory.isWorthwhile(after) ? RETURNED : 0;
      for (var i = 0; i < SMALL.size(); i++) {
        var value = SMALL.get(i).value();
        if (!Objects.equals(value.apply(before), value.apply(after))) {
          columns |= 1L << i;
        }
      }
      // compared before they are printed: printing JSON is expensive
      return columns
          | (before.state().equals(after.state()) ? 0 : STATE)
          | (before.output().equals(after.output()) ? 0 : OUTPUT);
    }
  }

  private static long bits(int first, int number) {
    return ((1L << number) - 1) << first;
  }

  /** Adds the update of these runs, given in lock order; remembers some of them. */
  void add(Pipeline pipeline, List<Changed> changes, RunMemory memory) {
    // a large column is sent only for runs where it changes
    var byLarge = new TreeMap<Long, Group>();
    for (var change : changes) {
      var columns = change.columns();
      var group = byLarge.computeIfAbsent(columns & (STATE | OUTPUT), _ -> new Group());
      group.columns |= columns;
      group.runs.add(change);
    }
    byLarge.values().forEach(group -> add(pipeline, group, memory));
  }

  private static final class Group {
    private final List<Changed> runs = new ArrayList<>();
    private long columns;
  }

  private void add(Pipeline pipeline, Group group, RunMemory memory) {
    var columns = columnsOfShape(group.columns);
    var shape = shapes.computeIfAbsent(columns, RunUpdate::shape);
    if ((columns & RETURNED) == 0) {
      pipeline.write(shape.statement(), shape.sent(), group.runs);
    } else {
      var after = group.runs.stream().map(Changed::after).toList();
      pipeline.write(shape.statement(), shape.sent(), group.runs, memory.reader(after));
    }
  }

  /** Returns these columns, or once there are many shapes, the smallest one that has them. */
  private long columnsOfShape(long columns) {
    if (shapes.size() < MAX_SHAPES || shapes.containsKey(columns)) {
      return columns;
    }
    return shapes.keySet().stream()
        .filter(known -> (known & columns) == columns)
        .filter(known -> (known & ~ALL_SMALL) == (columns & ~ALL_SMALL))
        .min(Comparator.comparingInt(Long::bitCount))
        .orElse(columns | ALL_SMALL);
  }

  private static Shape shape(long columns) {
    var changing =
        IntStream.range(0, COLUMNS.size())
            .filter(i -> (columns & 1L << i) != 0)
            .mapToObj(COLUMNS::get)
            .<Column<Changed>>map(column -> column.of(Changed::after))
            .toList();
    var sent = new UnnestRows<>("u", ROW).with(changing);
    var update = update(sent);
    return new Shape(
        sent,
        (columns & RETURNED) == 0
            ? RenderedSql.exactly(RUN.getName(), update.returning(DSL.one()))
            : RenderedSql.exactlyReturning(RUN.getName(), update.returning(RunMemory.RETURNED)));
  }

  private static UpdateConditionStep<?> update(UnnestRows<Changed> sent) {
    var set = sent.assignments();
    ROW.forEach(column -> set.remove(DSL.field(DSL.name(column.name()))));
    set.computeIfPresent(DUE_AT, (_, due) -> dueAt(sent, due));
    set.put(RUN.PENDING_INTENT, DSL.castNull(RUN.PENDING_INTENT));
    return DSL.update(RUN)
        .set(set)
        .from(sent.writeSource())
        .where(RowVersion.isSent(RUN, sent, RunLoader.KEY));
  }

  /**
   * The due time to store. A held task keeps its old one while at least half of the lease is left
   * until then: the time only says when a server checks the lease, and a change of an indexed
   * column writes a new entry into each index.
   */
  private static Field<?> dueAt(UnnestRows<Changed> sent, Field<?> due) {
    var names = sent.names();
    var isStillHeld =
        Stream.of(RUN.PHASE, RUN.QUEUE)
            .filter(field -> names.contains(DSL.field(DSL.name(field.getName()))))
            .map(field -> DSL.condition("{0} IS NOT DISTINCT FROM {1}", field, sent.get(field)))
            .reduce(RUN.PHASE.eq(DSL.inline(RunRows.HELD)), Condition::and);
    return DSL.field(
        """
        CASE WHEN {0} AND {1} <= {2}
          AND {1} - now() >= ({2} - now()) / 2 THEN {1} ELSE {2} END\
        """,
        Object.class, isStillHeld, RUN.DUE_AT, due);
  }
}
