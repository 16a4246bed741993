package dev.hapax.postgres.hook;

import static dev.hapax.postgres.schema.Tables.PLACE;

import dev.hapax.domain.hook.Line;
import dev.hapax.domain.hook.Line.Place;
import dev.hapax.domain.hook.LineId;
import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.LoadedKey;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.run.RunLoader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Select;
import org.jooq.impl.DSL;

/**
 * The table {@code place}, a row for each run in a line. The lock of the token or limit locks its
 * line; of a line only the first places that count are loaded.
 */
public final class LineTable implements RecordTable<LineId, Line> {
  private static final UnnestRows<LineId> KEYS = new UnnestRows<>("k", key(id -> id));

  private static final String LOAD =
      RenderedSql.text(
          DSL.select(
                  KEYS.number(),
                  DSL.field("p.workspace"),
                  DSL.field("p.turn"),
                  DSL.field("p.run_id"))
              .from(KEYS.table(), DSL.lateral(DSL.table("({0}) p", places())))
              .orderBy(KEYS.number(), DSL.field("p.turn")));

  private record Joined(LineId line, Place place) {}

  private record Left(LineId line, long turn) {}

  private static final Insertion<Joined> INSERT =
      new Insertion<>(
          PLACE,
          new UnnestRows<>("u", key(Joined::line))
              .with(
                  List.of(
                      new Column<>(PLACE.TURN.getName(), Kind.LONG, row -> row.place().turn()),
                      new Column<>(
                          PLACE.RUN_ID.getName(), Kind.UUID, row -> row.place().run().uuid()))));

  private static final UnnestRows<Left> LEFT =
      new UnnestRows<>("u", key(Left::line))
          .with(List.of(new Column<>(PLACE.TURN.getName(), Kind.LONG, Left::turn)));

  private static final String DELETE =
      RenderedSql.text(
          DSL.deleteFrom(PLACE)
              .where(
                  RenderedSql.isAt(
                      PLACE, LEFT, isIn(LEFT).and(PLACE.TURN.le(LEFT.get(PLACE.TURN))))));

  private static <R> List<Column<R>> key(Function<R, LineId> id) {
    return List.of(
        new Column<>(PLACE.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(PLACE.HASH.getName(), Kind.UUID, row -> id.apply(row).hash()));
  }

  private static Condition isIn(UnnestRows<?> lines) {
    return PLACE.WORKSPACE.eq(lines.get(PLACE.WORKSPACE)).and(PLACE.HASH.eq(lines.get(PLACE.HASH)));
  }

  /** One more than are loaded, to know whether there are more. */
  private static Select<?> places() {
    return DSL.select(PLACE.WORKSPACE, PLACE.TURN, PLACE.RUN_ID)
        .from(
            PLACE,
            DSL.lateral(
                DSL.table(
                    "({0}) w",
                    RunLoader.waitingAt(PLACE.WORKSPACE, PLACE.RUN_ID, PLACE.HASH, PLACE.TURN))))
        .where(isIn(KEYS))
        .orderBy(PLACE.TURN)
        .limit(DSL.inline(Line.LOADED + 1));
  }

  @Override
  public Class<LineId> keys() {
    return LineId.class;
  }

  @Override
  public Comparator<LineId> lockOrder() {
    return Comparator.comparing(LineId::workspace).thenComparing(LineId::hash);
  }

  @Override
  public void lock(Pipeline pipeline, List<LineId> keys, Loading<LineId, Line> loading) {
    var places = new HashMap<LineId, List<Place>>();
    pipeline.query(
        LOAD,
        KEYS.parameters(keys),
        found -> {
          var row = new Row(found);
          var line = LoadedKey.of(found, keys);
          var all = places.computeIfAbsent(line, _ -> new ArrayList<>());
          all.add(
              new Place(
                  row.number(PLACE.TURN), new RunId(line.workspace(), row.uuid(PLACE.RUN_ID))));
          loading.found(
              line,
              new Line(
                  all.subList(0, Math.min(all.size(), Line.LOADED)),
                  all.size() > Line.LOADED,
                  List.of()));
        });
  }

  @Override
  public void insert(Pipeline pipeline, List<Write<LineId, Line>> writes) {
    INSERT.add(
        pipeline,
        writes.stream()
            .flatMap(
                write ->
                    changes(write).added().stream().map(place -> new Joined(write.key(), place)))
            .toList());
  }

  @Override
  public void change(Pipeline pipeline, List<Write<LineId, Line>> writes) {
    var left = writes.stream().flatMap(LineTable::left).toList();
    if (!left.isEmpty()) {
      pipeline.add(DELETE, LEFT.parameters(left));
    }
  }

  private static Line.Changes changes(Write<LineId, Line> write) {
    var before = write.before();
    return write.kept().since(before == null ? Line.EMPTY : before);
  }

  private static Stream<Left> left(Write<LineId, Line> write) {
    return changes(write).left().stream().mapToObj(turn -> new Left(write.key(), turn));
  }
}
