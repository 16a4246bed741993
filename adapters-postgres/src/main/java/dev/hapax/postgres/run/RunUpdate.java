package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.run.Run;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** Updates runs; sends only the columns that change in one of them, since each column costs. */
final class RunUpdate {
  private static final List<Field<?>> KEY = List.of(RUN.WORKSPACE, RUN.ID);

  /** The version is first and always sent: it guards the row. */
  private static final List<Column<Run>> SMALL = RunColumns.CHANGING;

  private static final List<Column<Run>> COLUMNS =
      RunColumns.concat(SMALL, RunColumns.concat(RunColumns.STATE, RunColumns.OUTPUT));
  private static final Field<?> RUN_DUE_AT = DSL.field(DSL.name(RUN.DUE_AT.getName()));
  private static final long VERSION = 1L;
  private static final long ALL_SMALL = bits(0, SMALL.size());
  private static final long STATE = bits(SMALL.size(), RunColumns.STATE.size());
  private static final long OUTPUT =
      bits(SMALL.size() + RunColumns.STATE.size(), RunColumns.OUTPUT.size());

  /** The limit of shapes: each is a statement to prepare on each connection. */
  private static final int MAX_SHAPES = 64;

  private final Map<Long, Shape> shapes = new ConcurrentHashMap<>();

  private record Shape(UnnestRows<Run> sent, String statement) {}

  /** A run before and after. */
  record Changed(Run before, Run after) {
    /** Returns the columns whose values differ, a bit each. */
    private long columns() {
      var columns = VERSION;
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

  /** Adds the update of these runs, given in lock order. */
  void add(Pipeline pipeline, List<Changed> changes) {
    // a large column is sent only for runs where it changes
    var byLarge = new TreeMap<Long, Group>();
    for (var change : changes) {
      var columns = change.columns();
      var group = byLarge.computeIfAbsent(columns & ~ALL_SMALL, _ -> new Group());
      group.columns |= columns;
      group.runs.add(change.after());
    }
    byLarge.values().forEach(group -> add(pipeline, group));
  }

  private static final class Group {
    private final List<Run> runs = new ArrayList<>();
    private long columns;
  }

  private void add(Pipeline pipeline, Group group) {
    var shape = shapes.computeIfAbsent(columnsOfShape(group.columns), RunUpdate::shape);
    pipeline.write(shape.statement(), shape.sent(), group.runs);
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
            .toList();
    var sent = new UnnestRows<>("u", RunColumns.key(Run::id)).with(changing);
    return new Shape(sent, statement(sent, changing));
  }

  /**
   * The row is there and locked, but an update with a join could be planned as a scan of the table.
   * A column that is not sent keeps its value, and gets a placeholder.
   */
  private static String statement(UnnestRows<Run> sent, List<Column<Run>> changing) {
    var excluded = new LinkedHashMap<Field<?>, Field<?>>();
    for (var column : changing) {
      var field = DSL.field(DSL.name(column.name()));
      excluded.put(field, DSL.field("excluded.{0}", field));
    }
    excluded.put(RUN.PENDING_INTENT, DSL.castNull(RUN.PENDING_INTENT));
    excluded.computeIfPresent(RUN_DUE_AT, (_, _) -> dueAt(changing));
    var names = sent.names().stream().map(Field::getName).toList();
    var kept =
        Stream.of(RUN.fields())
            .filter(field -> !field.getDataType().nullable() && !names.contains(field.getName()))
            .toList();
    return RenderedSql.exactly(
        RUN.getName(),
        DSL.insertInto(RUN, Stream.concat(sent.names().stream(), kept.stream()).toList())
            .select(
                DSL.select(sent.all())
                    .select(kept.stream().map(RunUpdate::something).toList())
                    .from(sent.insertSource()))
            .onConflict(KEY)
            .doUpdate()
            .set(excluded)
            .where(RUN.VERSION.le(DSL.excluded(RUN.VERSION)))
            .returning(DSL.one()));
  }

  /**
   * The due time to store. A held task keeps its old one while at least half of the lease is left
   * until then: the time only says when a server checks the lease, and a change of an indexed
   * column writes a new entry into each index.
   */
  private static Field<?> dueAt(List<Column<Run>> changing) {
    var isStillHeld =
        Stream.of(RUN.PHASE, RUN.QUEUE)
            .filter(field -> changing.stream().anyMatch(c -> c.name().equals(field.getName())))
            .map(
                field ->
                    DSL.condition(
                        "{0} IS NOT DISTINCT FROM excluded.{1}", field, field.getUnqualifiedName()))
            .reduce(RUN.PHASE.eq(DSL.inline(RunRows.HELD)), Condition::and);
    return DSL.field(
        """
        CASE WHEN {0} AND {1} <= excluded.due_at
          AND {1} - now() >= (excluded.due_at - now()) / 2 THEN {1} ELSE excluded.due_at END\
        """,
        Object.class, isStillHeld, RUN.DUE_AT);
  }

  private static Field<?> something(Field<?> field) {
    var type = field.getDataType();
    if (type.isNumeric()) {
      return DSL.inline(1);
    }
    if (type.isBoolean()) {
      return DSL.inline(false);
    }
    return type.isTemporal() ? DSL.currentOffsetDateTime() : DSL.inline("");
  }
}
