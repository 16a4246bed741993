package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.Failure;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.run.HookTokens;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunOrigin;
import dev.hapax.domain.run.RunTimeouts;
import dev.hapax.domain.run.StepTurn;
import dev.hapax.domain.run.TaskGrant;
import dev.hapax.domain.run.TraceParent;
import dev.hapax.postgres.json.StoredJson;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.read.Micros;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** The columns of {@code run}. */
final class RunColumns {
  /** The columns that never change. */
  static final List<Column<Run>> ORIGIN =
      concat(
          List.of(
              column(RUN.CREATED_AT, Kind.INSTANT, run -> run.origin().createdAt()),
              column(RUN.NOT_BEFORE, Kind.INSTANT, run -> run.origin().notBefore()),
              column(RUN.DEFINITION_NAME, Kind.TEXT, run -> run.definition().id().name()),
              column(RUN.DEFINITION_VERSION, Kind.TEXT, run -> run.definition().id().version()),
              column(RUN.LABELS, Kind.TEXT, run -> labels(run.origin())),
              column(RUN.TRACE, Kind.TEXT, run -> trace(run.origin())),
              column(RUN.TIMEOUT, Kind.LONG, run -> micros(timeouts(run).end())),
              column(RUN.START_TIMEOUT, Kind.LONG, run -> micros(timeouts(run).start()))),
          PayloadColumns.of(
              RUN.INPUT_JSON, RUN.INPUT_BYTES, run -> Optional.of(run.origin().input())));

  /** The columns that change with a signal. */
  private static final List<Column<Run>> INBOX =
      List.of(
          column(RUN.VERSION, Kind.LONG, Run::version),
          column(RUN.RECEIVED, Kind.LONG, run -> run.inbox().received()),
          column(RUN.UNCONSUMED, Kind.INT, run -> run.inbox().unconsumed()));

  /** The columns that change with most events. */
  private static final List<Column<Run>> PROGRESS =
      concat(
          List.of(
              column(RUN.REMEMBERED_UNTIL, Kind.INSTANT, run -> run.origin().rememberedUntil()),
              column(RUN.STATUS, Kind.SHORT, run -> RunStatusCode.of(run.status())),
              column(RUN.STEP, Kind.INT, run -> run.position().step()),
              column(RUN.ATTEMPT, Kind.INT, run -> run.position().attempt()),
              column(RUN.ALLOWED, Kind.INT, run -> run.position().allowed()),
              column(RUN.FENCE, Kind.LONG, run -> run.position().fence().value()),
              column(RUN.NAMED, Kind.INT, Run::named),
              column(RUN.STARTED_AT, Kind.INSTANT, run -> run.startedAt().orElse(null)),
              column(RUN.QUEUE, Kind.TEXT, run -> run.queue().orElse(null)),
              column(RUN.DUE_AT, Kind.INSTANT, run -> run.due().orElse(null)),
              column(RUN.DEADLINE_AT, Kind.INSTANT, run -> run.deadlines().next().orElse(null)),
              column(RUN.PAUSED, Kind.BOOL, run -> run.phase() instanceof Phase.Paused),
              column(RUN.PHASE, Kind.SHORT, run -> RunRows.code(behind(run))),
              column(RUN.UNTIL, Kind.INSTANT, run -> until(behind(run))),
              column(RUN.ATTEMPT_UNTIL, Kind.INSTANT, RunColumns::attemptUntil),
              column(RUN.NEXT_ATTEMPT, Kind.INT, run -> nextAttempt(behind(run))),
              column(RUN.SIGNAL, Kind.TEXT, run -> FilterColumns.text(signal(behind(run)))),
              column(RUN.SIGNAL_FILTER, Kind.SHORT, run -> FilterColumns.kind(signal(behind(run)))),
              column(RUN.NONCE, Kind.LONG, run -> grant(run, TaskGrant::nonce)),
              column(RUN.AFTER_NONCE, Kind.LONG, run -> grant(run, RunColumns::after)),
              column(RUN.POLL_ID, Kind.UUID, run -> grant(run, RunColumns::poll)),
              column(RUN.WORKER, Kind.TEXT, run -> grant(run, TaskGrant::worker)),
              column(RUN.DELIVERIES, Kind.INT, RunColumns::deliveries),
              column(RUN.SUPERSEDES, Kind.UUID, run -> uuid(run.tokens().supersedes())),
              column(RUN.SUPERSEDED_BY, Kind.UUID, run -> uuid(run.tokens().supersededBy())),
              column(RUN.KEY_LOST, Kind.BOOL, run -> run.tokens().keyLost() ? true : null),
              column(RUN.TOKEN_RETENTION, Kind.LONG, run -> retention(run.tokens())),
              column(RUN.TURN, Kind.LONG, RunColumns::turn),
              column(
                  RUN.LIMIT_HASHES,
                  Kind.UUIDS,
                  run -> run.stepTurn().map(StepTurn::lines).orElse(null)),
              column(
                  RUN.DEFINITION_TURN,
                  Kind.LONG,
                  run -> run.definitionTurn().map(StepTurn::turn).orElse(null)),
              column(
                  RUN.DEFINITION_HASHES,
                  Kind.UUIDS,
                  run -> run.definitionTurn().map(StepTurn::lines).orElse(null)),
              column(RUN.AWAITED, Kind.TEXT, run -> AwaitedText.print(run.tokens().awaited())),
              column(RUN.LINE_HASHES, Kind.UUIDS, run -> marks(run.tokens())),
              column(RUN.REASON, Kind.TEXT, run -> reason(run.phase())),
              column(RUN.FAILURE_CODE, Kind.TEXT, run -> failure(run, Failure::code)),
              column(RUN.FAILURE_MESSAGE, Kind.TEXT, run -> failure(run, Failure::message)),
              column(RUN.FAILURE_PART, Kind.TEXT, run -> failure(run, RunColumns::part))),
          PayloadColumns.of(
              RUN.FAILURE_JSON,
              RUN.FAILURE_BYTES,
              run -> failure(behind(run)).flatMap(Failure::details)));

  static final List<Column<Run>> CHANGING = concat(INBOX, PROGRESS);

  /** The state; sent only if it changes, since it may be large. */
  static final List<Column<Run>> STATE =
      List.of(column(RUN.STATE, Kind.TEXT, run -> state(run.state())));

  /** The output, as {@link #STATE}. */
  static final List<Column<Run>> OUTPUT =
      PayloadColumns.of(RUN.OUTPUT_JSON, RUN.OUTPUT_BYTES, Run::output);

  /** The details of the step, as {@link #STATE}. */
  static final List<Column<Run>> DETAILS =
      PayloadColumns.of(RUN.DETAILS_JSON, RUN.DETAILS_BYTES, Run::details);

  private RunColumns() {}

  static <R> List<Column<R>> key(Function<R, RunId> id) {
    return key(RUN.ID, id);
  }

  /** The key, also of the tables that belong to runs. */
  static <R> List<Column<R>> key(Field<?> field, Function<R, RunId> id) {
    return List.of(
        new Column<>(RUN.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(field.getName(), Kind.UUID, row -> id.apply(row).uuid()));
  }

  private static Column<Run> column(
      Field<?> field, Kind kind, Function<Run, @Nullable Object> value) {
    return new Column<>(field.getName(), kind, value);
  }

  static <R> List<Column<R>> concat(List<Column<R>> some, List<Column<R>> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }

  private static @Nullable String labels(RunOrigin origin) {
    if (origin.labels().isEmpty()) {
      return null;
    }
    var members = new LinkedHashMap<String, Json>();
    origin.labels().forEach((name, value) -> members.put(name, new Json.Str(value)));
    return StoredJson.print(new Json.Obj(members));
  }

  private static @Nullable String trace(RunOrigin origin) {
    return origin.parameters().trace().map(TraceParent::text).orElse(null);
  }

  private static RunTimeouts timeouts(Run run) {
    return run.origin().parameters().timeouts();
  }

  private static @Nullable Long micros(Optional<Duration> time) {
    return time.map(Micros::of).orElse(null);
  }

  private static @Nullable Instant attemptUntil(Run run) {
    return run.lastHeld().flatMap(Phase.Held::attemptUntil).orElse(null);
  }

  private static @Nullable String state(Json.Obj state) {
    return state.members().isEmpty() ? null : StoredJson.print(state);
  }

  private static Phase behind(Run run) {
    return run.phase() instanceof Phase.Paused(var behind) ? behind : run.phase();
  }

  private static @Nullable Instant until(Phase phase) {
    return switch (phase) {
      case Phase.Ready(var due, _) -> due;
      case Phase.Blocked(_, var notBefore, _) -> notBefore;
      case Phase.Held held -> held.leaseUntil();
      case Phase.InDoubt(var lost) -> lost.leaseUntil();
      case Phase.Waiting(var until, _, _) -> until.orElse(null);
      case Phase.Finishing _ -> null;
      case Phase.Paused(var behind) -> until(behind);
      case Phase.Ended ended -> ended.at();
    };
  }

  private static @Nullable Integer nextAttempt(Phase phase) {
    return switch (phase) {
      case Phase.Ready(_, var attempt) -> attempt;
      case Phase.Blocked(_, _, var attempt) -> attempt;
      default -> null;
    };
  }

  private static @Nullable Long turn(Run run) {
    return run.stepTurn()
        .map(StepTurn::turn)
        .orElseGet(() -> behind(run) instanceof Phase.Blocked(var turn, _, _) ? turn : null);
  }

  private static @Nullable Collection<UUID> marks(HookTokens tokens) {
    return tokens.marks().isEmpty() ? null : tokens.marks();
  }

  private static Optional<SignalFilter> signal(Phase phase) {
    return phase instanceof Phase.Waiting(_, var signal, _) ? signal : Optional.empty();
  }

  private static @Nullable Object grant(Run run, Function<TaskGrant, @Nullable Object> part) {
    return run.lastHeld().map(Phase.Held::grant).map(part).orElse(null);
  }

  private static @Nullable Integer deliveries(Run run) {
    return run.lastHeld().map(Phase.Held::deliveries).filter(count -> count > 1).orElse(null);
  }

  static @Nullable Object after(TaskGrant grant) {
    return grant.after().isPresent() ? grant.after().getAsLong() : null;
  }

  static @Nullable Object poll(TaskGrant grant) {
    return grant.poll().orElse(null);
  }

  static @Nullable UUID uuid(Optional<RunId> run) {
    return run.map(RunId::uuid).orElse(null);
  }

  private static @Nullable Long retention(HookTokens tokens) {
    return tokens.retention().isZero() ? null : Micros.of(tokens.retention());
  }

  private static @Nullable String reason(Phase phase) {
    return phase instanceof Phase.Cancelled(_, var reason) ? reason : null;
  }

  private static @Nullable Object part(Failure failure) {
    return failure.part().isEmpty() ? null : failure.part();
  }

  private static @Nullable Object failure(Run run, Function<Failure, @Nullable Object> part) {
    return failure(behind(run)).map(part).orElse(null);
  }

  private static Optional<Failure> failure(Phase phase) {
    return switch (phase) {
      case Phase.Finishing(var failure) -> failure;
      case Phase.Failed(_, var failure) -> Optional.of(failure);
      case Phase.Ready _,
          Phase.Blocked _,
          Phase.Held _,
          Phase.InDoubt _,
          Phase.Waiting _,
          Phase.Paused _,
          Phase.Completed _,
          Phase.Cancelled _ ->
          Optional.empty();
    };
  }
}
