package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.PLACE;

import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jooq.impl.DSL;

/**
 * Removes the places of runs that end, or are paused, while they wait. They count no longer, but
 * each decision about their line would read them until another run is admitted.
 */
final class LeftPlaces {
  private record Place(String workspace, UUID line, long turn) {}

  private static final UnnestRows<Place> PLACES =
      new UnnestRows<>(
          "u",
          List.of(
              new Column<>(PLACE.WORKSPACE.getName(), Kind.TEXT, Place::workspace),
              new Column<>(PLACE.HASH.getName(), Kind.UUID, Place::line),
              new Column<>(PLACE.TURN.getName(), Kind.LONG, Place::turn)));

  private static final String DELETE =
      RenderedSql.text(
          DSL.deleteFrom(PLACE)
              .where(
                  RenderedSql.isAt(
                      PLACE,
                      PLACES,
                      PLACE
                          .WORKSPACE
                          .eq(PLACES.get(PLACE.WORKSPACE))
                          .and(PLACE.HASH.eq(PLACES.get(PLACE.HASH)))
                          .and(PLACE.TURN.eq(PLACES.get(PLACE.TURN))))));

  private LeftPlaces() {}

  static void remove(Pipeline pipeline, List<Write<RunId, Run>> writes) {
    var left = writes.stream().flatMap(LeftPlaces::left).toList();
    if (!left.isEmpty()) {
      pipeline.add(DELETE, PLACES.parameters(left));
    }
  }

  private static Stream<Place> left(Write<RunId, Run> write) {
    var before = write.before();
    var after = write.after();
    if (before == null || after == null || !isToLeave(after)) {
      return Stream.empty();
    }
    return before.blocked().stream()
        .flatMap(
            blocked ->
                before.awaitedLines().stream()
                    .map(line -> new Place(write.key().workspace().name(), line, blocked.turn())));
  }

  /** The line removes the place of a run that it admits. */
  private static boolean isToLeave(Run after) {
    return after.hasEnded() || after.phase() instanceof Phase.Paused;
  }
}
