package dev.hapax.postgres.intent;

import static dev.hapax.postgres.schema.Tables.INTENT_OUTCOME;

import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentOutcome;
import dev.hapax.domain.intent.IntentOutcome.Cancelled;
import dev.hapax.domain.intent.IntentOutcome.Completed;
import dev.hapax.domain.intent.IntentOutcome.Failed;
import dev.hapax.domain.intent.IntentOutcome.Signaled;
import dev.hapax.domain.intent.IntentOutcome.Started;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.SignalDisposition;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.RecordTable.Write;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** The columns of {@code intent_outcome}, without its key. */
final class OutcomeColumns {
  /** The disposition of an intent that cancelled a run. */
  static final String CANCELLED = "CANCELLED";

  /** The disposition of an intent that completed a record. */
  static final String COMPLETED = "COMPLETED";

  static final List<Column<Write<IntentId, Intent>>> ALL =
      List.of(
          column(INTENT_OUTCOME.VERB, Kind.SHORT, taken -> VerbCode.of(taken.origin().verb())),
          column(INTENT_OUTCOME.ROLE, Kind.TEXT, taken -> taken.origin().role()),
          column(INTENT_OUTCOME.POSTED_AT, Kind.INSTANT, taken -> taken.origin().postedAt()),
          column(INTENT_OUTCOME.TRIES, Kind.SHORT, taken -> (short) taken.tries()),
          column(INTENT_OUTCOME.TAKEN_AT, Kind.INSTANT, Intent.Taken::at),
          column(INTENT_OUTCOME.DISPOSITION, Kind.TEXT, taken -> disposition(taken.outcome())),
          column(
              INTENT_OUTCOME.SIGNAL_DISPOSITION,
              Kind.TEXT,
              taken -> signal(taken.outcome()).map(SignalDisposition::name).orElse(null)),
          column(INTENT_OUTCOME.RUN_ID, Kind.UUID, taken -> uuid(run(taken.outcome()))),
          column(INTENT_OUTCOME.OWNER_ID, Kind.UUID, taken -> uuid(owner(taken.outcome()))),
          column(INTENT_OUTCOME.REASON, Kind.TEXT, taken -> reason(taken.outcome())),
          column(INTENT_OUTCOME.DETAIL, Kind.TEXT, taken -> detail(taken.outcome())));

  private OutcomeColumns() {}

  private static Column<Write<IntentId, Intent>> column(
      Field<?> field, Kind kind, Function<Intent.Taken, @Nullable Object> part) {
    return new Column<>(
        field.getName(),
        kind,
        write -> write.kept() instanceof Intent.Taken taken ? part.apply(taken) : null);
  }

  private static @Nullable String disposition(IntentOutcome outcome) {
    return switch (outcome) {
      case Started started -> started.disposition().name();
      case Signaled signaled -> signaled.disposition().name();
      case Cancelled _ -> CANCELLED;
      case Completed _ -> COMPLETED;
      case Failed _ -> null;
    };
  }

  private static Optional<SignalDisposition> signal(IntentOutcome outcome) {
    return outcome instanceof Started started ? started.signal() : Optional.empty();
  }

  private static Optional<RunId> run(IntentOutcome outcome) {
    return switch (outcome) {
      case Started started -> started.run();
      case Signaled(var run, _) -> Optional.of(run);
      case Cancelled(var run) -> Optional.of(run);
      case Completed(var run) -> run;
      case Failed failed -> failed.run();
    };
  }

  private static Optional<RunId> owner(IntentOutcome outcome) {
    return outcome instanceof Started started ? started.owner() : Optional.empty();
  }

  private static @Nullable String reason(IntentOutcome outcome) {
    return outcome instanceof Failed failed ? failed.error().name() : null;
  }

  private static @Nullable String detail(IntentOutcome outcome) {
    return outcome instanceof Failed failed && !failed.detail().isEmpty() ? failed.detail() : null;
  }

  private static @Nullable UUID uuid(Optional<RunId> run) {
    return run.map(RunId::uuid).orElse(null);
  }
}
