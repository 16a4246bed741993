package dev.hapax.postgres.intent;

import static dev.hapax.postgres.schema.Tables.INBOX;
import static dev.hapax.postgres.schema.Tables.INTENT_OUTCOME;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentError;
import dev.hapax.domain.intent.IntentOrigin;
import dev.hapax.domain.intent.IntentOutcome;
import dev.hapax.domain.intent.IntentOutcome.StartDisposition;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.SignalDisposition;
import dev.hapax.postgres.read.Row;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Field;

/** Reads intents from rows of {@code inbox} and {@code intent_outcome}. */
final class IntentRows {
  private IntentRows() {}

  static Intent.Posted posted(Row row) throws SQLException {
    return new Intent.Posted(
        origin(row), row.integer(INBOX.TRIES), row.optionalInstant(INBOX.NOT_BEFORE));
  }

  private static IntentOrigin origin(Row row) throws SQLException {
    return new IntentOrigin(
        VerbCode.verb(row.integer(INBOX.VERB)), row.text(INBOX.ROLE), row.instant(INBOX.POSTED_AT));
  }

  /** Reads a row that has the columns of both tables: it was taken if it has the time of that. */
  static Intent either(Workspace workspace, Row row) throws SQLException {
    var takenAt = row.optionalInstant(INTENT_OUTCOME.TAKEN_AT);
    return takenAt.isEmpty()
        ? posted(row)
        : new Intent.Taken(
            origin(row), row.integer(INBOX.TRIES), outcome(workspace, row), takenAt.get());
  }

  private static IntentOutcome outcome(Workspace workspace, Row row) throws SQLException {
    var run = run(workspace, row, INTENT_OUTCOME.RUN_ID);
    var reason = row.optionalText(INTENT_OUTCOME.REASON);
    if (reason.isPresent()) {
      return new IntentOutcome.Failed(
          IntentError.valueOf(reason.get()),
          run,
          row.optionalText(INTENT_OUTCOME.DETAIL).orElse(""));
    }
    var disposition = row.text(INTENT_OUTCOME.DISPOSITION);
    return switch (VerbCode.verb(row.integer(INBOX.VERB))) {
      case START_RUN ->
          new IntentOutcome.Started(
              StartDisposition.valueOf(disposition),
              run,
              run(workspace, row, INTENT_OUTCOME.OWNER_ID),
              row.optionalText(INTENT_OUTCOME.SIGNAL_DISPOSITION).map(SignalDisposition::valueOf));
      case SIGNAL_RUN, SIGNAL_HOOK ->
          new IntentOutcome.Signaled(run.orElseThrow(), SignalDisposition.valueOf(disposition));
      case CANCEL_RUN -> new IntentOutcome.Cancelled(run.orElseThrow());
      case COMPLETE_ACTION, COMPLETE_TASK, COMPLETE_OPERATION -> new IntentOutcome.Completed(run);
    };
  }

  private static Optional<RunId> run(Workspace workspace, Row row, Field<UUID> field)
      throws SQLException {
    return row.optionalUuid(field).map(uuid -> new RunId(workspace, uuid));
  }
}
