package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_EVENT;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.TaskGrant;
import dev.hapax.postgres.json.StoredJson;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.StoredPrincipal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
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
   */
  record EventRow(RunId run, RunEvent event, Optional<RunEvent> then) {
    /** Returns the new events of a run in as few rows as possible. */
    static List<EventRow> of(Run run) {
      var row = new ArrayList<EventRow>(run.newEvents().size());
      for (var event : run.newEvents()) {
        var last = row.isEmpty() ? null : row.getLast();
        if (last != null && last.hasRoomFor(event)) {
          row.set(row.size() - 1, new EventRow(run.id(), last.event(), Optional.of(event)));
        } else {
          row.add(new EventRow(run.id(), event, Optional.empty()));
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
                  column(RUN_EVENT.SKIPPED, Kind.BOOL, row -> skipped(row.change())),
                  column(RUN_EVENT.ACTOR, Kind.TEXT, row -> actor(row.event().actor())),
                  column(RUN_EVENT.NONCE, Kind.LONG, row -> nonce(row.event().actor())),
                  column(
                      RUN_EVENT.PRINCIPAL,
                      Kind.TEXT,
                      row -> StoredPrincipal.text(row.event().actor().principal())),
                  column(RUN_EVENT.UNTIL, Kind.INSTANT, row -> until(row.change())),
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
                  column(RUN_EVENT.HOOK, Kind.UUID, row -> hook(row.change())),
                  column(RUN_EVENT.HOOK_NAME, Kind.TEXT, row -> hookName(row.change())),
                  column(RUN_EVENT.RETENTION, Kind.LONG, row -> retention(row.change())),
                  column(
                      RUN_EVENT.OTHER_RUN, Kind.UUID, row -> RunColumns.uuid(other(row.change()))),
                  column(RUN_EVENT.NAME, Kind.TEXT, row -> name(row.change())),
                  column(RUN_EVENT.SIGNAL, Kind.TEXT, row -> signal(row.change())),
                  column(RUN_EVENT.SIGNAL_FILTER, Kind.SHORT, row -> signalFilter(row.change())),
                  column(RUN_EVENT.CONSUMED, Kind.TEXT, row -> consumed(row.change())),
                  column(
                      RUN_EVENT.PATCH,
                      Kind.TEXT,
                      row -> patch(row.change()).map(StoredJson::print).orElse(null)),
                  column(RUN_EVENT.REASON, Kind.TEXT, row -> reason(row.change())),
                  column(
                      RUN_EVENT.FAILURE_CODE,
                      Kind.TEXT,
                      row -> failure(row.change()).map(Failure::code).orElse(null)),
                  column(
                      RUN_EVENT.FAILURE_MESSAGE,
                      Kind.TEXT,
                      row -> failure(row.change()).map(Failure::message).orElse(null)))),
          PayloadColumns.of(RUN_EVENT.JSON, RUN_EVENT.BYTES, row -> payload(row.change())));

  private RunEventColumns() {}

  private static Column<EventRow> column(
      Field<?> field, Kind kind, Function<EventRow, @Nullable Object> value) {
    return new Column<>(field.getName(), kind, value);
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

  private static @Nullable Boolean skipped(RunChange change) {
    return (change instanceof RunChange.StepCompleted done && done.skipped()) ? Boolean.TRUE : null;
  }

  private static @Nullable Instant until(RunChange change) {
    return switch (change) {
      case RunChange.StepSuspended suspended -> suspended.until().orElse(null);
      case RunChange.RetryScheduled retry -> retry.due();
      case RunChange.LeaseGivenBack(var due) -> due.orElse(null);
      default -> null;
    };
  }

  private static @Nullable UUID hook(RunChange change) {
    return switch (change) {
      case RunChange.HookCreated(var hook, _, _, _) -> hook;
      case RunChange.HookDisposed(var hook, _) -> hook;
      case RunChange.SignalReceived received -> received.hook().map(SourceHook::hash).orElse(null);
      default -> null;
    };
  }

  private static @Nullable String hookName(RunChange change) {
    return switch (change) {
      case RunChange.HookCreated(_, var name, _, _) -> SourceColumns.text(name);
      case RunChange.SignalReceived received -> SourceColumns.text(received.hook());
      default -> null;
    };
  }

  private static @Nullable Long retention(RunChange change) {
    return change instanceof RunChange.HookCreated(_, _, var retention, _)
        ? Micros.of(retention)
        : null;
  }

  private static Optional<RunId> other(RunChange change) {
    return switch (change) {
      case RunChange.RunCancelled(_, var by) -> by;
      case RunChange.HookCreated(_, _, _, var from) -> from;
      case RunChange.Superseded(var by) -> Optional.of(by);
      default -> Optional.empty();
    };
  }

  private static @Nullable String name(RunChange change) {
    return switch (change) {
      case RunChange.StepRecorded recorded -> recorded.name();
      case RunChange.SignalReceived received -> received.signalId();
      case RunChange.Retried retried -> retried.requestId();
      case RunChange.StepResumed(var signalId) -> signalId.orElse(null);
      default -> null;
    };
  }

  private static @Nullable String signal(RunChange change) {
    return switch (change) {
      case RunChange.StepSuspended suspended -> FilterColumns.text(suspended.signal());
      case RunChange.SignalReceived received -> received.type();
      default -> null;
    };
  }

  private static @Nullable Short signalFilter(RunChange change) {
    return change instanceof RunChange.StepSuspended suspended
        ? FilterColumns.kind(suspended.signal())
        : null;
  }

  private static @Nullable String consumed(RunChange change) {
    var ids =
        switch (change) {
          case RunChange.StepCompleted done -> done.consumed();
          case RunChange.StepRecorded recorded -> recorded.consumed();
          default -> List.<String>of();
        };
    return ids.isEmpty() ? null : StoredJson.print(StoredJson.strings(ids));
  }

  private static Optional<Json.Obj> patch(RunChange change) {
    return switch (change) {
      case RunChange.StepCompleted done -> done.patch();
      case RunChange.StepSuspended suspended -> suspended.patch();
      default -> Optional.empty();
    };
  }

  private static @Nullable String reason(RunChange change) {
    return switch (change) {
      case RunChange.Paused(var reason) -> reason;
      case RunChange.Resumed(var reason) -> reason;
      case RunChange.Retried(_, var reason) -> reason;
      case RunChange.RunCancelled(var reason, _) -> reason;
      case RunChange.HookDisposed(_, var reason) -> reason.isEmpty() ? null : reason;
      default -> null;
    };
  }

  private static Optional<Failure> failure(RunChange change) {
    return switch (change) {
      case RunChange.StepFailed(var failure) -> Optional.of(failure);
      case RunChange.RetryScheduled(var failure, _) -> Optional.of(failure);
      case RunChange.RunFailed(var failure) -> Optional.of(failure);
      default -> Optional.empty();
    };
  }

  private static Optional<Payload> payload(RunChange change) {
    return switch (change) {
      case RunChange.StepCompleted done -> done.output();
      case RunChange.StepRecorded recorded -> Optional.of(recorded.output());
      case RunChange.SignalReceived received -> received.payload();
      default -> failure(change).flatMap(Failure::details);
    };
  }
}
