package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_EVENT;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.run.RunChange;
import dev.hapax.postgres.json.StoredJson;
import dev.hapax.postgres.read.Micros;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** The columns of {@code run_event} that only some types of events use, with the values of one. */
final class ChangeColumns {
  private final Map<String, Object> values = new HashMap<>();
  private Optional<Payload> payload = Optional.empty();

  private ChangeColumns() {}

  /** Returns the columns that this change uses; the grant of a step has columns of its own. */
  static ChangeColumns of(RunChange change) {
    var columns = new ChangeColumns();
    return switch (change) {
      case RunChange.Created _, RunChange.StepStarted _, RunChange.RunCompleted _ -> columns;
      case RunChange.LeaseLost lost ->
          columns
              .with(RUN_EVENT.HELD, lost.held() ? Boolean.TRUE : null)
              .with(RUN_EVENT.FAILURE_CODE, lost.timedOut() ? lost.failure().code() : null);
      case RunChange.StepCompleted(var output, var patch, var consumed, var skipped) ->
          columns
              .with(RUN_EVENT.SKIPPED, skipped ? Boolean.TRUE : null)
              .with(RUN_EVENT.PATCH, patch.map(StoredJson::print))
              .with(RUN_EVENT.CONSUMED, signals(consumed))
              .with(output);
      case RunChange.StepFailed(var failure) -> columns.with(failure);
      case RunChange.StepSuspended(var until, var signal, var patch) ->
          columns
              .with(RUN_EVENT.UNTIL, until)
              .with(RUN_EVENT.SIGNAL, FilterColumns.text(signal))
              .with(RUN_EVENT.SIGNAL_FILTER, FilterColumns.kind(signal))
              .with(RUN_EVENT.PATCH, patch.map(StoredJson::print));
      case RunChange.StepResumed(var signalId) -> columns.with(RUN_EVENT.NAME, signalId);
      case RunChange.RetryScheduled(var failure, var due) ->
          columns.with(RUN_EVENT.UNTIL, due).with(failure);
      case RunChange.LeaseGivenBack(var due, var reason) ->
          columns.with(RUN_EVENT.UNTIL, due).withReason(reason);
      case RunChange.StepRecorded recorded -> columns.with(recorded);
      case RunChange.PartBegun(var name, var attempt) ->
          columns.with(RUN_EVENT.NAME, name).with(RUN_EVENT.PART_ATTEMPT, attempt);
      case RunChange.PartFailed(var name, var attempt, var failure, var retryAt) ->
          columns
              .with(RUN_EVENT.NAME, name)
              .with(RUN_EVENT.PART_ATTEMPT, attempt)
              .with(RUN_EVENT.UNTIL, retryAt)
              .with(failure);
      case RunChange.StepSettled(var part, var verdict, var requestId, var reason) ->
          columns
              .with(verdict)
              .with(RUN_EVENT.PART, part)
              .with(RUN_EVENT.NAME, requestId)
              .with(RUN_EVENT.REASON, reason);
      case RunChange.SignalReceived(var signalId, var type, var hook, var said) ->
          columns
              .with(RUN_EVENT.NAME, signalId)
              .with(RUN_EVENT.SIGNAL, type)
              .with(RUN_EVENT.HOOK, hook.map(SourceHook::hash))
              .with(RUN_EVENT.HOOK_NAME, SourceColumns.text(hook))
              .with(said);
      case RunChange.Paused(var reason) -> columns.with(RUN_EVENT.REASON, reason);
      case RunChange.Resumed(var reason) -> columns.with(RUN_EVENT.REASON, reason);
      case RunChange.Retried(var requestId, var reason) ->
          columns.with(RUN_EVENT.NAME, requestId).with(RUN_EVENT.REASON, reason);
      case RunChange.RunFailed(var failure) -> columns.with(failure);
      case RunChange.RunCancelled(var reason, var by) ->
          columns.with(RUN_EVENT.REASON, reason).with(RUN_EVENT.OTHER_RUN, RunColumns.uuid(by));
      case RunChange.HookCreated(var hook, var name, var retention, var from) ->
          columns
              .with(RUN_EVENT.HOOK, hook)
              .with(RUN_EVENT.HOOK_NAME, SourceColumns.text(name))
              .with(RUN_EVENT.RETENTION, Micros.of(retention))
              .with(RUN_EVENT.OTHER_RUN, RunColumns.uuid(from));
      case RunChange.HookDisposed(var hook, var reason) ->
          columns
              .with(RUN_EVENT.HOOK, hook)
              .with(RUN_EVENT.REASON, reason.isEmpty() ? null : reason);
      case RunChange.Superseded(var by, var byKey) ->
          columns
              .with(RUN_EVENT.OTHER_RUN, RunColumns.uuid(Optional.of(by)))
              .with(RUN_EVENT.REASON, byKey ? RunEventRows.BY_KEY : null);
      case RunChange.Blocked(var turn, var tokens, var limit) ->
          columns
              .with(RUN_EVENT.UNTIL, Micros.instant(turn))
              .with(RUN_EVENT.NAME, limit.map(RunChange.FullLimit::name))
              .with(RUN_EVENT.REASON, limit.map(RunChange.FullLimit::key))
              .with(RUN_EVENT.IS_WAIT, limit.filter(RunChange.FullLimit::isRate).map(_ -> true))
              .with(
                  limit
                      .map(full -> StoredJson.print(lines(full)))
                      .or(() -> Optional.ofNullable(AwaitedText.print(tokens)))
                      .<Payload>map(Payload.Json::new));
      case RunChange.Admitted(var turn, var waited) ->
          columns
              .with(RUN_EVENT.UNTIL, Micros.instant(turn))
              .with(RUN_EVENT.ELAPSED, Micros.of(waited));
    };
  }

  private static Json lines(RunChange.FullLimit full) {
    return full.ofDefinition()
        ? new Json.Obj(Map.of(RunEventRows.OF_DEFINITION, uuids(full.lines())))
        : uuids(full.lines());
  }

  private static Json uuids(List<UUID> lines) {
    return StoredJson.strings(lines.stream().map(UUID::toString).toList());
  }

  private static @Nullable String signals(List<String> ids) {
    return ids.isEmpty() ? null : StoredJson.print(StoredJson.strings(ids));
  }

  private ChangeColumns with(Field<?> field, @Nullable Object value) {
    if (value != null) {
      values.put(field.getName(), value);
    }
    return this;
  }

  private ChangeColumns with(Field<?> field, Optional<?> value) {
    return with(field, value.orElse(null));
  }

  private ChangeColumns with(Failure failure) {
    return with(RUN_EVENT.FAILURE_CODE, failure.code())
        .with(RUN_EVENT.FAILURE_MESSAGE, failure.message())
        .with(RUN_EVENT.PART, failure.part().isEmpty() ? null : failure.part())
        .with(RUN_EVENT.FAILURE_STACK, failure.stack().isEmpty() ? null : failure.stack())
        .with(failure.details());
  }

  private ChangeColumns withReason(Optional<Failure> reason) {
    return reason.map(this::with).orElse(this);
  }

  private ChangeColumns with(RunChange.StepRecorded recorded) {
    return with(RUN_EVENT.NAME, recorded.name())
        .with(RUN_EVENT.CONSUMED, signals(recorded.consumed()))
        .with(RUN_EVENT.PATCH, recorded.patch().map(StoredJson::print))
        .with(RUN_EVENT.ELAPSED, recorded.elapsed().map(Micros::of))
        .with(RUN_EVENT.OVERLAPPED, recorded.traits().overlapped() ? Boolean.TRUE : null)
        .with(RUN_EVENT.IS_WAIT, recorded.traits().isWait() ? Boolean.TRUE : null)
        .with(Optional.of(recorded.output()));
  }

  private ChangeColumns with(RunChange.Verdict verdict) {
    var coded = with(RUN_EVENT.VERDICT, VerdictCode.of(verdict));
    return switch (verdict) {
      case RunChange.Verdict.Complete(var output, var patch) ->
          coded.with(RUN_EVENT.PATCH, patch.map(StoredJson::print)).with(output);
      case RunChange.Verdict.Fail(var failure) -> coded.with(failure);
      case RunChange.Verdict.Skip _, RunChange.Verdict.Repeat _ -> coded;
    };
  }

  private ChangeColumns with(Optional<Payload> said) {
    payload = said;
    return this;
  }

  /** The value of a column; null = this change does not use it. */
  @Nullable Object value(String column) {
    return values.get(column);
  }

  /** The output, the payload of a signal, or the details of a failure. */
  Optional<Payload> payload() {
    return payload;
  }
}
