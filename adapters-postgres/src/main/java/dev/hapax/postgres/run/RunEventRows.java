package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_EVENT;
import static java.util.Objects.requireNonNull;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.PartTraits;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.TaskGrant;
import dev.hapax.postgres.json.StoredJson;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.read.StoredPrincipal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jooq.Field;

/** Reads events from rows of {@code run_event}; of the first one, also from that of its run. */
final class RunEventRows {
  /** The columns that may be large: their bytes bound a page. */
  static final List<Field<?>> LARGE =
      List.of(
          RUN_EVENT.JSON,
          RUN_EVENT.BYTES,
          RUN_EVENT.PATCH,
          RUN_EVENT.FAILURE_MESSAGE,
          RUN_EVENT.FAILURE_STACK);

  /** The reason of a supersession: another run took the idempotency key. */
  static final String BY_KEY = "key";

  /** The member with the lines of a definition's limits; those of a step's are an array. */
  static final String OF_DEFINITION = "of_definition";

  private RunEventRows() {}

  /** Returns the events of a row: one or two. */
  static List<RunEvent> events(RunId run, ResultSet found) throws SQLException {
    var event = event(run, found);
    var row = new Row(found);
    var then = row.optionalNumber(RUN_EVENT.THEN_TYPE);
    return then.isEmpty()
        ? List.of(event)
        : List.of(event, then(run, row, event, EventType.of(then.get().intValue())));
  }

  /** Returns the first event of a row. */
  static RunEvent event(RunId run, ResultSet found) throws SQLException {
    var row = new Row(found);
    var by =
        new Actor(
            row.optionalText(RUN_EVENT.ACTOR).orElse(Actor.SERVER.name()),
            nonce(row),
            StoredPrincipal.read(found, RUN_EVENT.PRINCIPAL));
    return new RunEvent(
        row.number(RUN_EVENT.VERSION),
        row.instant(RUN_EVENT.AT),
        by,
        row.integer(RUN_EVENT.STEP),
        row.integer(RUN_EVENT.ATTEMPT),
        change(EventType.of(row.integer(RUN_EVENT.TYPE)), run, row, by));
  }

  private static RunEvent then(RunId run, Row row, RunEvent first, EventType type)
      throws SQLException {
    var by =
        new Actor(
            row.optionalText(RUN_EVENT.THEN_ACTOR).orElse(first.actor().name()),
            row.optionalNumber(RUN_EVENT.THEN_NONCE).orElse(first.actor().nonce()),
            row.optionalText(RUN_EVENT.THEN_PRINCIPAL)
                .map(PrincipalName::new)
                .orElse(first.actor().principal()));
    return new RunEvent(
        first.version() + 1,
        first.at(),
        by,
        row.optionalNumber(RUN_EVENT.THEN_STEP).map(Math::toIntExact).orElse(first.step()),
        row.optionalNumber(RUN_EVENT.THEN_ATTEMPT).map(Math::toIntExact).orElse(first.attempt()),
        change(type, run, row, by));
  }

  /** The nonce of the actor. */
  static long nonce(Row row) throws SQLException {
    return row.optionalNumber(RUN_EVENT.NONCE).orElse(Actor.SERVER.nonce());
  }

  private static RunChange change(EventType type, RunId run, Row row, Actor by)
      throws SQLException {
    return switch (type) {
      case CREATED -> new RunChange.Created(RunRows.origin(row));
      case STEP_STARTED -> new RunChange.StepStarted(grant(row, by));
      case STEP_COMPLETED ->
          new RunChange.StepCompleted(
              payload(row), patch(row), consumed(row), row.flag(RUN_EVENT.SKIPPED));
      case STEP_FAILED -> new RunChange.StepFailed(failure(row));
      case STEP_SUSPENDED ->
          new RunChange.StepSuspended(
              row.optionalInstant(RUN_EVENT.UNTIL),
              FilterColumns.read(row, RUN_EVENT.SIGNAL, RUN_EVENT.SIGNAL_FILTER),
              patch(row));
      case STEP_RESUMED -> new RunChange.StepResumed(row.optionalText(RUN_EVENT.NAME));
      case RETRY_SCHEDULED ->
          new RunChange.RetryScheduled(failure(row), row.instant(RUN_EVENT.UNTIL));
      case LEASE_LOST ->
          new RunChange.LeaseLost(
              row.flag(RUN_EVENT.HELD), row.optionalText(RUN_EVENT.FAILURE_CODE).isPresent());
      case LEASE_GIVEN_BACK ->
          new RunChange.LeaseGivenBack(row.optionalInstant(RUN_EVENT.UNTIL), optionalFailure(row));
      case STEP_RECORDED ->
          new RunChange.StepRecorded(
              row.text(RUN_EVENT.NAME),
              payload(row).orElseThrow(),
              consumed(row),
              patch(row),
              elapsed(row),
              new PartTraits(row.flag(RUN_EVENT.OVERLAPPED), row.flag(RUN_EVENT.IS_WAIT)));
      case PART_BEGUN ->
          new RunChange.PartBegun(row.text(RUN_EVENT.NAME), row.integer(RUN_EVENT.PART_ATTEMPT));
      case PART_FAILED ->
          new RunChange.PartFailed(
              row.text(RUN_EVENT.NAME),
              row.integer(RUN_EVENT.PART_ATTEMPT),
              failure(row),
              row.optionalInstant(RUN_EVENT.UNTIL));
      case STEP_SETTLED -> settled(row);
      case SIGNAL_RECEIVED ->
          new RunChange.SignalReceived(
              row.text(RUN_EVENT.NAME),
              row.text(RUN_EVENT.SIGNAL),
              SourceColumns.source(row, RUN_EVENT.HOOK, RUN_EVENT.HOOK_NAME),
              payload(row));
      case PAUSED -> new RunChange.Paused(row.text(RUN_EVENT.REASON));
      case RESUMED -> new RunChange.Resumed(row.text(RUN_EVENT.REASON));
      case RETRIED -> new RunChange.Retried(row.text(RUN_EVENT.NAME), row.text(RUN_EVENT.REASON));
      case RUN_COMPLETED -> new RunChange.RunCompleted();
      case RUN_FAILED -> new RunChange.RunFailed(failure(row));
      case RUN_CANCELLED -> new RunChange.RunCancelled(row.text(RUN_EVENT.REASON), other(run, row));
      case HOOK_CREATED ->
          new RunChange.HookCreated(
              row.uuid(RUN_EVENT.HOOK),
              SourceColumns.name(row, RUN_EVENT.HOOK_NAME),
              Micros.duration(row.number(RUN_EVENT.RETENTION)),
              other(run, row));
      case HOOK_DISPOSED ->
          new RunChange.HookDisposed(
              row.uuid(RUN_EVENT.HOOK), row.optionalText(RUN_EVENT.REASON).orElse(""));
      case SUPERSEDED ->
          new RunChange.Superseded(
              other(run, row).orElseThrow(),
              row.optionalText(RUN_EVENT.REASON).filter(BY_KEY::equals).isPresent());
      case BLOCKED -> blocked(row);
      case ADMITTED -> new RunChange.Admitted(turn(row), elapsed(row).orElseThrow());
    };
  }

  private static RunChange.Blocked blocked(Row row) throws SQLException {
    var limit = row.optionalText(RUN_EVENT.NAME);
    var text = row.optionalText(RUN_EVENT.JSON);
    if (limit.isEmpty()) {
      return new RunChange.Blocked(turn(row), AwaitedText.parse(text), Optional.empty());
    }
    var json = StoredJson.parse(text.orElseThrow());
    var ofDefinition = json instanceof Json.Obj;
    var hashes =
        json instanceof Json.Obj(var members) ? requireNonNull(members.get(OF_DEFINITION)) : json;
    var lines = StoredJson.strings(hashes).stream().map(UUID::fromString).toList();
    var full =
        new RunChange.FullLimit(
            ofDefinition,
            limit.get(),
            row.text(RUN_EVENT.REASON),
            row.flag(RUN_EVENT.IS_WAIT),
            lines);
    return new RunChange.Blocked(turn(row), List.of(), Optional.of(full));
  }

  private static long turn(Row row) throws SQLException {
    return Micros.of(row.instant(RUN_EVENT.UNTIL));
  }

  private static Optional<RunId> other(RunId run, Row row) throws SQLException {
    return row.optionalUuid(RUN_EVENT.OTHER_RUN).map(uuid -> new RunId(run.workspace(), uuid));
  }

  private static Optional<TaskGrant> grant(Row row, Actor by) throws SQLException {
    var fence = row.optionalNumber(RUN_EVENT.FENCE);
    return fence.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new TaskGrant(
                row.optionalNumber(RUN_EVENT.GRANT_NONCE).orElse(by.nonce()),
                new Fence(fence.get()),
                row.optionalText(RUN_EVENT.WORKER).orElse(by.name()),
                row.optionalUuid(RUN_EVENT.POLL_ID),
                row.optionalNumber(RUN_EVENT.AFTER_NONCE)
                    .map(OptionalLong::of)
                    .orElse(OptionalLong.empty())));
  }

  static Optional<Payload> payload(Row row) throws SQLException {
    return row.payload(RUN_EVENT.JSON, RUN_EVENT.BYTES);
  }

  private static Optional<Json.Obj> patch(Row row) throws SQLException {
    return row.optionalText(RUN_EVENT.PATCH).map(text -> (Json.Obj) StoredJson.parse(text));
  }

  private static List<String> consumed(Row row) throws SQLException {
    return row.optionalText(RUN_EVENT.CONSUMED)
        .map(text -> StoredJson.strings(StoredJson.parse(text)))
        .orElse(List.of());
  }

  private static Failure failure(Row row) throws SQLException {
    return optionalFailure(row).orElseThrow();
  }

  static Optional<Failure> optionalFailure(Row row) throws SQLException {
    var failure = row.failure(RUN_EVENT.FAILURE_CODE, RUN_EVENT.FAILURE_MESSAGE, payload(row));
    return failure.isEmpty()
        ? failure
        : Optional.of(
            new Failure(
                failure.get().code(),
                failure.get().message(),
                failure.get().details(),
                row.optionalText(RUN_EVENT.PART).orElse(""),
                row.optionalText(RUN_EVENT.FAILURE_STACK).orElse("")));
  }

  private static Optional<Duration> elapsed(Row row) throws SQLException {
    return row.optionalNumber(RUN_EVENT.ELAPSED).map(Micros::duration);
  }

  private static RunChange.StepSettled settled(Row row) throws SQLException {
    var part = row.optionalText(RUN_EVENT.PART);
    var failure = optionalFailure(row);
    var verdict =
        VerdictCode.read(row.integer(RUN_EVENT.VERDICT), payload(row), patch(row), failure);
    return new RunChange.StepSettled(
        part, verdict, row.text(RUN_EVENT.NAME), row.text(RUN_EVENT.REASON));
  }
}
