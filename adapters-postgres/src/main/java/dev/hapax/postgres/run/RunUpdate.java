package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.run.Run;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.DatabaseClock;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowVersion;
import dev.hapax.postgres.ledger.UnnestRows;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.UpdateConditionStep;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Updates the rows of runs as they were read, with one statement: it locks them in lock order, and
 * each statement costs as much as several rows. Sends only the columns that change in one of them,
 * since each column costs.
 */
final class RunUpdate {
  private static final List<Column<Run>> SMALL = RunColumns.CHANGING;

  private static final Field<?> DUE_AT = DSL.field(DSL.name(RUN.DUE_AT.getName()));

  /** The column with the earliest due time that may stay. */
  private static final String KEPT_FROM = "kept_from";

  private static final long DUE =
      IntStream.range(0, SMALL.size())
          .filter(i -> SMALL.get(i).name().equals(RUN.DUE_AT.getName()))
          .mapToLong(i -> bits(i, 1))
          .sum();

  private static final long ALL_SMALL = bits(0, SMALL.size());
  private static final Large STATE =
      new Large("changes_state", RunColumns.STATE, bits(SMALL.size(), 1), Changed::changesState);

  private static final Large OUTPUT =
      new Large(
          "changes_output", RunColumns.OUTPUT, bits(SMALL.size() + 1, 1), Changed::changesOutput);

  private static final Large DETAILS =
      new Large(
          "changes_details",
          RunColumns.DETAILS,
          bits(SMALL.size() + 2, 1),
          Changed::changesDetails);

  /** Whether the versions of the rows are returned. */
  private static final long RETURNED = bits(SMALL.size() + 3, 1);

  private static final List<Column<Changed>> ROW =
      RunColumns.concat(
          RunColumns.key(changed -> changed.after().id()),
          List.of(RowVersion.column(Changed::replaced)));

  /** The limit of shapes: each is a statement to prepare on each connection. */
  private static final int MAX_SHAPES = 64;

  private final Map<Long, Shape> shapes = new ConcurrentHashMap<>();
  private final DatabaseClock clock;

  RunUpdate(DatabaseClock clock) {
    this.clock = clock;
  }

  private record Shape(UnnestRows<Changed> sent, String statement) {}

  /**
   * Columns that may be large. They are sent only of runs in which they change.
   *
   * @param flag the name of the column that says so
   * @param bit of a shape that has them
   */
  private record Large(
      String flag, List<Column<Run>> columns, long bit, Predicate<Changed> changes) {

    Stream<Column<Changed>> sent() {
      return Stream.concat(
          Stream.of(new Column<>(flag, Column.Kind.BOOL, changes::test)),
          columns.stream()
              .map(
                  column ->
                      new Column<>(
                          column.name(),
                          column.kind(),
                          changed ->
                              changes.test(changed)
                                  ? column.value().apply(changed.after())
                                  : null)));
    }

    void assign(UnnestRows<Changed> sent, Map<Field<?>, Field<?>> set) {
      if (set.remove(DSL.field(DSL.name(flag))) != null) {
        var isChanged = sent.get(flag, DSL.field(flag, Boolean.class));
        for (var column : columns) {
          set.computeIfPresent(
              DSL.field(DSL.name(column.name())),
              (field, value) ->
                  DSL.field(
                      "CASE WHEN {0} THEN {1} ELSE {2} END",
                      Object.class, isChanged, value, RUN.field(field)));
        }
      }
    }
  }

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
      return columns
          | (changesState() ? STATE.bit() : 0)
          | (changesOutput() ? OUTPUT.bit() : 0)
          | (changesDetails() ? DETAILS.bit() : 0);
    }

    /** Compared before it is printed: printing JSON is expensive. */
    private boolean changesState() {
      return !before.state().equals(after.state());
    }

    private boolean changesOutput() {
      return !before.output().equals(after.output());
    }

    private boolean changesDetails() {
      return !before.details().equals(after.details());
    }
  }

  private static long bits(int first, int number) {
    return ((1L << number) - 1) << first;
  }

  /** Adds the update of these runs, given in lock order; remembers some of them. */
  void add(Pipeline pipeline, List<Changed> changes, RunMemory memory) {
    if (changes.isEmpty()) {
      return;
    }
    var columns =
        columnsOfShape(changes.stream().mapToLong(Changed::columns).reduce(0, (a, b) -> a | b));
    var shape = shapes.computeIfAbsent(columns, this::shape);
    if ((columns & RETURNED) == 0) {
      pipeline.write(shape.statement(), shape.sent(), changes);
    } else {
      var after = changes.stream().map(Changed::after).toList();
      pipeline.write(shape.statement(), shape.sent(), changes, memory.reader(after));
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

  private Shape shape(long columns) {
    var small =
        IntStream.range(0, SMALL.size())
            .filter(i -> (columns & 1L << i) != 0)
            .mapToObj(SMALL::get)
            .<Column<Changed>>map(column -> column.of(Changed::after));
    var large =
        Stream.of(STATE, OUTPUT, DETAILS)
            .filter(some -> (columns & some.bit()) != 0)
            .flatMap(Large::sent);
    var kept =
        (columns & DUE) == 0
            ? Stream.<Column<Changed>>empty()
            : Stream.of(
                new Column<>(
                    KEPT_FROM,
                    Column.Kind.INSTANT,
                    (Changed changed) -> keptFrom(changed.after())));
    var sent =
        new UnnestRows<>("u", ROW)
            .with(Stream.of(small, kept, large).flatMap(some -> some).toList());
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
    set.remove(DSL.field(DSL.name(KEPT_FROM)));
    set.computeIfPresent(DUE_AT, (_, due) -> dueAt(sent, due));
    STATE.assign(sent, set);
    OUTPUT.assign(sent, set);
    DETAILS.assign(sent, set);
    set.put(RUN.PENDING_INTENT, DSL.castNull(RUN.PENDING_INTENT));
    return DSL.update(RUN)
        .set(set)
        .from(sent.writeSource())
        .where(RowVersion.isSent(RUN, sent, RunLoader.KEY));
  }

  private @Nullable Instant keptFrom(Run after) {
    return after
        .due()
        .map(due -> due.minus(Duration.between(clock.now(), due).dividedBy(2)))
        .orElse(null);
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
        "CASE WHEN {0} AND {1} BETWEEN {2} AND {3} THEN {1} ELSE {3} END",
        Object.class, isStillHeld, RUN.DUE_AT, sent.get(KEPT_FROM, RUN.DUE_AT), due);
  }
}
