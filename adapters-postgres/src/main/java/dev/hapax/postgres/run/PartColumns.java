package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_STEP;

import dev.hapax.domain.Failure;
import dev.hapax.domain.run.Part;
import dev.hapax.domain.run.PartTraits;
import dev.hapax.postgres.read.Row;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The columns of {@code run_step}, and parts from rows of it with their events. */
final class PartColumns {
  static final int COMPLETED = 1;
  private static final int BEGUN = 2;
  private static final int RETRYING = 3;
  private static final int FAILED = 4;

  private PartColumns() {}

  /** Null = completed, as nearly always. */
  static @Nullable Short state(Part part) {
    return switch (part) {
      case Part.Completed _ -> null;
      case Part.Begun _ -> BEGUN;
      case Part.Retrying _ -> RETRYING;
      case Part.Failed _ -> FAILED;
    };
  }

  static @Nullable Integer attempts(Part part) {
    return part instanceof Part.Open open ? open.attempts() : null;
  }

  static @Nullable Instant since(Part part) {
    return part instanceof Part.Open open ? open.since().orElse(null) : null;
  }

  static @Nullable Instant dueAt(Part part) {
    return part instanceof Part.Retrying retrying ? retrying.due() : null;
  }

  static PartTraits traits(Row row) throws SQLException {
    return new PartTraits(row.flag(RUN_STEP.OVERLAPPED), row.flag(RUN_STEP.IS_WAIT));
  }

  /** Reads a part from a row that has the columns of its event, too. */
  static Part read(Row row) throws SQLException {
    var version = row.number(RUN_STEP.VERSION);
    var nonce = RunEventRows.nonce(row);
    var state = row.optionalNumber(RUN_STEP.STATE).orElse((long) COMPLETED).intValue();
    if (state == COMPLETED) {
      return new Part.Completed(
          version, nonce, RunEventRows.payload(row).orElseThrow(), traits(row));
    }
    var attempts = row.integer(RUN_STEP.ATTEMPTS);
    var since = row.optionalInstant(RUN_STEP.SINCE);
    return switch (state) {
      case BEGUN -> new Part.Begun(version, nonce, attempts, since);
      case RETRYING ->
          new Part.Retrying(
              version, nonce, attempts, since, row.instant(RUN_STEP.DUE_AT), failure(row));
      case FAILED -> new Part.Failed(version, nonce, attempts, since, failure(row));
      default -> throw new IllegalStateException("no part has the state " + state);
    };
  }

  /** None = an operator repeats the part. */
  private static Failure failure(Row row) throws SQLException {
    return RunEventRows.optionalFailure(row).orElse(Part.NONE);
  }
}
