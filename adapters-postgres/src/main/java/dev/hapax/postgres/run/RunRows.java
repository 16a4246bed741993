package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Fence;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.run.Deadlines;
import dev.hapax.domain.run.HookTokens;
import dev.hapax.domain.run.Inbox;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunOrigin;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.RunTimeouts;
import dev.hapax.domain.run.StepPosition;
import dev.hapax.domain.run.StepTurn;
import dev.hapax.domain.run.TaskGrant;
import dev.hapax.domain.run.TraceParent;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.json.StoredJson;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.Row;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.UUID;
import org.jooq.Field;

/** Reads runs from rows of {@code run}. */
final class RunRows {
  /** The columns that may be large: their bytes bound a page. */
  static final List<Field<?>> LARGE =
      List.of(
          RUN.STATE,
          RUN.OUTPUT_JSON,
          RUN.OUTPUT_BYTES,
          RUN.INPUT_JSON,
          RUN.INPUT_BYTES,
          RUN.FAILURE_JSON,
          RUN.FAILURE_BYTES,
          RUN.DETAILS_JSON,
          RUN.DETAILS_BYTES);

  static final short BLOCKED = 0;
  static final short READY = 1;
  static final short HELD = 2;
  private static final short WAITING = 3;
  private static final short UNSIFTED = 4;
  private static final short SETTLED = 5;
  static final short COMPLETED = 6;
  private static final short FAILED = 7;
  private static final short CANCELLED = 8;

  private final DefinitionCache definitions;

  RunRows(DefinitionCache definitions) {
    this.definitions = definitions;
  }

  /** The code of a phase; a paused run has that of the phase behind. */
  static short code(Phase phase) {
    return switch (phase) {
      case Phase.Blocked _ -> BLOCKED;
      case Phase.Ready _ -> READY;
      case Phase.Held _, Phase.InDoubt _ -> HELD;
      case Phase.Waiting waiting -> waiting.inboxUnchecked() ? UNSIFTED : WAITING;
      case Phase.Finishing _ -> SETTLED;
      case Phase.Paused(var behind) -> code(behind);
      case Phase.Completed _ -> COMPLETED;
      case Phase.Failed _ -> FAILED;
      case Phase.Cancelled _ -> CANCELLED;
    };
  }

  Run run(RunId id, ResultSet found) throws SQLException {
    var row = new Row(found);
    var definition =
        new DefinitionId(
            id.workspace(), row.text(RUN.DEFINITION_NAME), row.text(RUN.DEFINITION_VERSION));
    var origin = origin(row);
    var startedAt = row.optionalInstant(RUN.STARTED_AT);
    return new Run(
        id,
        definitions.get(definition, row.connection()),
        origin,
        row.number(RUN.VERSION),
        position(row),
        phase(row),
        state(row),
        row.payload(RUN.OUTPUT_JSON, RUN.OUTPUT_BYTES),
        new Inbox(row.number(RUN.RECEIVED), row.integer(RUN.UNCONSUMED)),
        row.integer(RUN.NAMED),
        tokens(id, row),
        startedAt,
        Deadlines.of(origin, startedAt, row.optionalInstant(RUN.DEADLINE_AT)),
        row.payload(RUN.DETAILS_JSON, RUN.DETAILS_BYTES),
        turn(row, RUN.LIMIT_HASHES, RUN.TURN),
        turn(row, RUN.DEFINITION_HASHES, RUN.DEFINITION_TURN),
        List.of());
  }

  private static Optional<StepTurn> turn(Row row, Field<UUID[]> hashes, Field<Long> turn)
      throws SQLException {
    var lines = row.uuids(hashes);
    return lines.isEmpty() ? Optional.empty() : Optional.of(new StepTurn(row.number(turn), lines));
  }

  private static HookTokens tokens(RunId id, Row row) throws SQLException {
    return new HookTokens(
        row.optionalUuid(RUN.SUPERSEDES).map(uuid -> new RunId(id.workspace(), uuid)),
        row.optionalUuid(RUN.SUPERSEDED_BY).map(uuid -> new RunId(id.workspace(), uuid)),
        row.flag(RUN.KEY_LOST),
        row.optionalNumber(RUN.TOKEN_RETENTION).map(Micros::duration).orElse(Duration.ZERO),
        AwaitedText.parse(row.optionalText(RUN.AWAITED)),
        new TreeSet<>(row.uuids(RUN.LINE_HASHES)));
  }

  /** Reads the origin, which is also that of the first event. */
  static RunOrigin origin(Row row) throws SQLException {
    return new RunOrigin(
        new RunParameters(
            row.payload(RUN.INPUT_JSON, RUN.INPUT_BYTES).orElseThrow(),
            labels(row),
            row.optionalText(RUN.TRACE).map(TraceParent::new),
            new RunTimeouts(duration(row, RUN.START_TIMEOUT), duration(row, RUN.TIMEOUT))),
        row.instant(RUN.CREATED_AT),
        row.instant(RUN.NOT_BEFORE),
        row.instant(RUN.REMEMBERED_UNTIL));
  }

  private static Optional<Duration> duration(Row row, Field<Long> field) throws SQLException {
    return row.optionalNumber(field).map(Micros::duration);
  }

  private static Map<String, String> labels(Row row) throws SQLException {
    var labels = new HashMap<String, String>();
    object(row, RUN.LABELS)
        .members()
        .forEach((name, value) -> labels.put(name, StoredJson.string(value)));
    return labels;
  }

  private static Json.Obj state(Row row) throws SQLException {
    return object(row, RUN.STATE);
  }

  private static Json.Obj object(Row row, Field<String> field) throws SQLException {
    return row.optionalText(field)
        .map(text -> (Json.Obj) StoredJson.parse(text))
        .orElse(Json.Obj.EMPTY);
  }

  private static StepPosition position(Row row) throws SQLException {
    return new StepPosition(
        row.integer(RUN.STEP),
        row.integer(RUN.ATTEMPT),
        row.integer(RUN.ALLOWED),
        new Fence(row.number(RUN.FENCE)));
  }

  private static Phase phase(Row row) throws SQLException {
    var code = row.integer(RUN.PHASE);
    return switch (code) {
      case COMPLETED -> new Phase.Completed(row.instant(RUN.UNTIL));
      case FAILED -> new Phase.Failed(row.instant(RUN.UNTIL), failure(row).orElseThrow());
      case CANCELLED -> new Phase.Cancelled(row.instant(RUN.UNTIL), row.text(RUN.REASON));
      default -> row.flag(RUN.PAUSED) ? new Phase.Paused(open(row, code)) : open(row, code);
    };
  }

  private static Phase.Open open(Row row, int code) throws SQLException {
    return switch (code) {
      case BLOCKED ->
          new Phase.Blocked(
              row.number(RUN.TURN), row.instant(RUN.UNTIL), row.integer(RUN.NEXT_ATTEMPT));
      case READY -> new Phase.Ready(row.instant(RUN.UNTIL), row.integer(RUN.NEXT_ATTEMPT));
      case HELD -> held(row);
      case WAITING, UNSIFTED ->
          new Phase.Waiting(
              row.optionalInstant(RUN.UNTIL),
              FilterColumns.read(row, RUN.SIGNAL, RUN.SIGNAL_FILTER),
              code == UNSIFTED);
      case SETTLED -> new Phase.Finishing(failure(row));
      default -> throw new IllegalStateException("no phase has the code " + code);
    };
  }

  /** A step that is held and not due is in doubt. */
  private static Phase.Open held(Row row) throws SQLException {
    var held =
        new Phase.Held(
            grant(row),
            row.instant(RUN.UNTIL),
            row.optionalInstant(RUN.ATTEMPT_UNTIL),
            row.optionalNumber(RUN.DELIVERIES).map(Math::toIntExact).orElse(1));
    return row.optionalInstant(RUN.DUE_AT).isPresent() ? held : new Phase.InDoubt(held);
  }

  private static Optional<Failure> failure(Row row) throws SQLException {
    var failure =
        row.failure(
            RUN.FAILURE_CODE,
            RUN.FAILURE_MESSAGE,
            row.payload(RUN.FAILURE_JSON, RUN.FAILURE_BYTES));
    var part = row.optionalText(RUN.FAILURE_PART).orElse("");
    return failure.map(found -> found.withPart(part));
  }

  private static TaskGrant grant(Row row) throws SQLException {
    return new TaskGrant(
        row.number(RUN.NONCE),
        new Fence(row.number(RUN.FENCE)),
        row.text(RUN.WORKER),
        row.optionalUuid(RUN.POLL_ID),
        row.optionalNumber(RUN.AFTER_NONCE).map(OptionalLong::of).orElse(OptionalLong.empty()));
  }
}
