package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_EVENT;

import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.TaskGrant;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.read.StoredPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** The columns of {@code run_event}. */
final class RunEventColumns {
  /**
   * A row of {@code run_event}.
   *
   * @param then the next event of the same commit, if the row has room for it
   * @param used by the change of the event
   */
  record EventRow(RunId run, RunEvent event, Optional<RunEvent> then, ChangeColumns used) {
    EventRow(RunId run, RunEvent event) {
      this(run, event, Optional.empty(), ChangeColumns.of(event.change()));
    }

    private EventRow with(RunEvent next) {
      return new EventRow(run, event, Optional.of(next), used);
    }

    /** Returns the new events of a run in as few rows as possible. */
    static List<EventRow> of(Run run) {
      var row = new ArrayList<EventRow>(run.newEvents().size());
      for (var event : run.newEvents()) {
        var last = row.isEmpty() ? null : row.getLast();
        if (last != null && last.hasRoomFor(event)) {
          row.set(row.size() - 1, last.with(event));
        } else {
          row.add(new EventRow(run.id(), event));
        }
      }
      return row;
    }

    private boolean hasRoomFor(RunEvent next) {
      var isAlone = then.isEmpty() && !(change() instanceof RunChange.StepStarted);
      return isAlone
          && next.at().equals(event.at())
          && (next.change() instanceof RunChange.StepStarted
              || next.change() instanceof RunChange.RunCompleted);
    }

    private RunChange change() {
      return event.change();
    }

    /** A part of the second event, if it differs from that of the first. */
    private <T> @Nullable T differing(Function<RunEvent, T> part) {
      return then.map(part).filter(value -> !value.equals(part.apply(event))).orElse(null);
    }

    private Optional<Granted> granted() {
      return Stream.concat(then.stream(), Stream.of(event))
          .flatMap(
              started ->
                  started.change() instanceof RunChange.StepStarted(var grant)
                      ? grant.map(g -> new Granted(g, started.actor())).stream()
                      : Stream.empty())
          .findFirst();
    }
  }

  /** A grant, and the actor that began the step. */
  private record Granted(TaskGrant grant, Actor by) {}

  static final List<Column<EventRow>> ALL =
      RunColumns.concat(
          RunColumns.concat(
              RunColumns.key(RUN_EVENT.RUN_ID, EventRow::run),
              List.of(
                  column(RUN_EVENT.VERSION, Kind.LONG, row -> row.event().version()),
                  column(RUN_EVENT.AT, Kind.INSTANT, row -> row.event().at()),
                  column(RUN_EVENT.STEP, Kind.INT, row -> row.event().step()),
                  column(RUN_EVENT.ATTEMPT, Kind.INT, row -> row.event().attempt()),
                  column(RUN_EVENT.TYPE, Kind.SHORT, row -> EventType.of(row.change()).code()),
                  used(RUN_EVENT.SKIPPED, Kind.BOOL),
                  column(RUN_EVENT.ACTOR, Kind.TEXT, row -> actor(row.event().actor())),
                  column(RUN_EVENT.NONCE, Kind.LONG, row -> nonce(row.event().actor())),
                  column(
                      RUN_EVENT.PRINCIPAL,
                      Kind.TEXT,
                      row -> StoredPrincipal.text(row.event().actor().principal())),
                  used(RUN_EVENT.UNTIL, Kind.INSTANT),
                  column(RUN_EVENT.THEN_TYPE, Kind.SHORT, RunEventColumns::thenType),
                  then(RUN_EVENT.THEN_STEP, Kind.INT, RunEvent::step),
                  then(RUN_EVENT.THEN_ATTEMPT, Kind.INT, RunEvent::attempt),
                  then(RUN_EVENT.THEN_ACTOR, Kind.TEXT, event -> event.actor().name()),
                  then(RUN_EVENT.THEN_NONCE, Kind.LONG, event -> event.actor().nonce()),
                  then(
                      RUN_EVENT.THEN_PRINCIPAL,
                      Kind.TEXT,
                      event -> event.actor().principal().text()),
                  column(RUN_EVENT.FENCE, Kind.LONG, row -> granted(row, g -> g.fence().value())),
                  column(
                      RUN_EVENT.GRANT_NONCE,
                      Kind.LONG,
                      row -> differing(row, TaskGrant::nonce, Actor::nonce)),
                  column(
                      RUN_EVENT.WORKER,
                      Kind.TEXT,
                      row -> differing(row, TaskGrant::worker, Actor::name)),
                  column(RUN_EVENT.AFTER_NONCE, Kind.LONG, row -> granted(row, RunColumns::after)),
                  column(RUN_EVENT.POLL_ID, Kind.UUID, row -> granted(row, RunColumns::poll)),
                  used(RUN_EVENT.HOOK, Kind.UUID),
                  used(RUN_EVENT.HOOK_NAME, Kind.TEXT),
                  used(RUN_EVENT.RETENTION, Kind.LONG),
                  used(RUN_EVENT.OTHER_RUN, Kind.UUID),
                  used(RUN_EVENT.NAME, Kind.TEXT),
                  used(RUN_EVENT.SIGNAL, Kind.TEXT),
                  used(RUN_EVENT.SIGNAL_FILTER, Kind.SHORT),
                  used(RUN_EVENT.CONSUMED, Kind.TEXT),
                  used(RUN_EVENT.PATCH, Kind.TEXT),
                  used(RUN_EVENT.REASON, Kind.TEXT),
                  used(RUN_EVENT.FAILURE_CODE, Kind.TEXT),
                  used(RUN_EVENT.FAILURE_MESSAGE, Kind.TEXT),
                  used(RUN_EVENT.FAILURE_STACK, Kind.TEXT),
                  used(RUN_EVENT.PART, Kind.TEXT),
                  used(RUN_EVENT.PART_ATTEMPT, Kind.INT),
                  used(RUN_EVENT.ELAPSED, Kind.LONG),
                  used(RUN_EVENT.OVERLAPPED, Kind.BOOL),
                  used(RUN_EVENT.IS_WAIT, Kind.BOOL),
                  used(RUN_EVENT.VERDICT, Kind.SHORT),
                  used(RUN_EVENT.HELD, Kind.BOOL))),
          PayloadColumns.of(RUN_EVENT.JSON, RUN_EVENT.BYTES, row -> row.used().payload()));

  private RunEventColumns() {}

  private static Column<EventRow> column(
      Field<?> field, Kind kind, Function<EventRow, @Nullable Object> value) {
    return new Column<>(field.getName(), kind, value);
  }

  /** A column that only some types of events use. */
  private static Column<EventRow> used(Field<?> field, Kind kind) {
    return column(field, kind, row -> row.used().value(field.getName()));
  }

  /** A part of the second event. */
  private static Column<EventRow> then(Field<?> field, Kind kind, Function<RunEvent, Object> part) {
    return column(field, kind, row -> row.differing(part));
  }

  private static @Nullable String actor(Actor by) {
    return by.name().equals(Actor.SERVER.name()) ? null : by.name();
  }

  private static @Nullable Long nonce(Actor by) {
    return by.nonce() == Actor.SERVER.nonce() ? null : by.nonce();
  }

  private static @Nullable Short thenType(EventRow row) {
    return row.then().map(then -> EventType.of(then.change()).code()).orElse(null);
  }

  private static @Nullable Object granted(
      EventRow row, Function<TaskGrant, @Nullable Object> part) {
    return row.granted().map(Granted::grant).map(part).orElse(null);
  }

  /** A part of the grant, if it differs from the actor's: nearly always they are one worker. */
  private static @Nullable Object differing(
      EventRow row, Function<TaskGrant, Object> ofGrant, Function<Actor, Object> ofActor) {
    return row.granted()
        .filter(given -> !ofGrant.apply(given.grant()).equals(ofActor.apply(given.by())))
        .map(given -> ofGrant.apply(given.grant()))
        .orElse(null);
  }
}
