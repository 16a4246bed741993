package dev.hapax.postgres.operation;

import static dev.hapax.postgres.schema.Tables.OPERATION;
import static dev.hapax.postgres.schema.Tables.OPERATION_RESULT;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Failure;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.Grant;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationKey;
import dev.hapax.domain.operation.OperationSubject;
import dev.hapax.postgres.read.StoredCodes;
import dev.hapax.postgres.read.StoredPrincipal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** Reads operations from rows of either table. */
final class OperationRows {
  private static final StoredCodes<Operation.State> STATES =
      new StoredCodes<>(
          Operation.State.class,
          List.of(
              Operation.State.IN_PROGRESS,
              Operation.State.INDETERMINATE,
              Operation.State.RELEASED,
              Operation.State.COMPLETED,
              Operation.State.REJECTED));

  private OperationRows() {}

  static short code(Operation.State state) {
    return STATES.code(state);
  }

  private static Operation.State state(ResultSet row) throws SQLException {
    return STATES.value(row.getInt(OPERATION.STATE.getName()));
  }

  /** Reads a row of {@code operation} without its failure, which no decision needs. */
  static Operation live(Workspace workspace, ResultSet row) throws SQLException {
    return live(workspace, row, Optional.empty());
  }

  /** Reads a row of {@code operation} with its failure. */
  static Operation liveWithFailure(Workspace workspace, ResultSet row) throws SQLException {
    var details = payload(row, OPERATION.FAILURE_JSON, OPERATION.FAILURE_BYTES);
    return live(workspace, row, failure(row, details));
  }

  private static Operation live(Workspace workspace, ResultSet row, Optional<Failure> failure)
      throws SQLException {
    var subject = subject(workspace, row);
    var grant = grant(row);
    var until = instant(row, OPERATION.UNTIL);
    return switch (state(row)) {
      case IN_PROGRESS ->
          new Operation.InProgress(
              subject,
              grant,
              attemptId(row).orElseThrow(),
              until,
              row.getBoolean(OPERATION.HOLD.getName()) ? OnStale.HOLD : OnStale.TAKE_OVER);
      case INDETERMINATE ->
          new Operation.Indeterminate(subject, grant, until, failure, attemptId(row));
      case RELEASED -> new Operation.Released(subject, grant, until, failure);
      case COMPLETED, REJECTED ->
          throw new IllegalStateException("a row of operation has a finished state");
    };
  }

  /** Reads a row of {@code operation_result}. */
  static Operation finished(Workspace workspace, ResultSet row) throws SQLException {
    var subject = subject(workspace, row);
    var grant = grant(row);
    var endedAt = instant(row, OPERATION_RESULT.ENDED_AT);
    var payload = payload(row, OPERATION_RESULT.JSON, OPERATION_RESULT.BYTES);
    return switch (state(row)) {
      case COMPLETED ->
          new Operation.Completed(
              subject,
              grant,
              endedAt,
              payload,
              Optional.ofNullable(text(row, OPERATION_RESULT.ACCOUNT_AFTER)));
      case REJECTED ->
          new Operation.Rejected(subject, grant, endedAt, failure(row, payload).orElseThrow());
      case IN_PROGRESS, INDETERMINATE, RELEASED ->
          throw new IllegalStateException("a row of operation_result has a live state");
    };
  }

  private static OperationSubject subject(Workspace workspace, ResultSet row) throws SQLException {
    var key =
        new OperationKey(
            workspace,
            required(row, OPERATION.ACCOUNT),
            required(row, OPERATION.OPERATION_),
            required(row, OPERATION.REQUEST_ID),
            row.getBoolean(OPERATION.ACCOUNT_CHANGING.getName()));
    return new OperationSubject(
        key,
        new Fingerprint(row.getObject(OPERATION.FINGERPRINT.getName(), UUID.class)),
        resolution(row),
        RememberedCallsBytes.read(
            row.getBytes(OPERATION.EARLIER_FAILURES.getName()),
            row.getBytes(OPERATION.EARLIER_RESOLUTIONS.getName())));
  }

  private static Optional<OperationSubject.Resolution> resolution(ResultSet row)
      throws SQLException {
    var requestId = text(row, OPERATION.RESOLUTION_ID);
    return requestId == null
        ? Optional.empty()
        : Optional.of(
            new OperationSubject.Resolution(
                requestId,
                new Attribution(
                    Objects.requireNonNullElse(text(row, OPERATION.RESOLUTION_ACTOR), ""),
                    required(row, OPERATION.RESOLUTION),
                    StoredPrincipal.read(row, OPERATION.RESOLUTION_PRINCIPAL)),
                new Fence(row.getLong(OPERATION.RESOLUTION_FENCE.getName()))));
  }

  private static Optional<AttemptId> attemptId(ResultSet row) throws SQLException {
    return Optional.ofNullable(row.getObject(OPERATION.ATTEMPT_ID.getName(), UUID.class))
        .map(AttemptId::new);
  }

  private static Grant grant(ResultSet row) throws SQLException {
    var claimAccount = text(row, OPERATION.CLAIM_ACCOUNT);
    return new Grant(
        row.getLong(OPERATION.NONCE.getName()),
        new Fence(row.getLong(OPERATION.FENCE.getName())),
        row.getInt(OPERATION.ATTEMPT.getName()),
        claimAccount == null ? required(row, OPERATION.ACCOUNT) : claimAccount,
        instant(row, OPERATION.STARTED_AT),
        instant(row, OPERATION.EXPIRES_AT));
  }

  private static Optional<Failure> failure(ResultSet row, Optional<Payload> details)
      throws SQLException {
    var code = text(row, OPERATION.FAILURE_CODE);
    return code == null
        ? Optional.empty()
        : Optional.of(new Failure(code, required(row, OPERATION.FAILURE_MESSAGE), details));
  }

  private static Optional<Payload> payload(ResultSet row, Field<String> json, Field<byte[]> bytes)
      throws SQLException {
    var text = text(row, json);
    if (text != null) {
      return Optional.of(new Payload.Json(text));
    }
    var binary = row.getBytes(bytes.getName());
    return binary == null ? Optional.empty() : Optional.of(new Payload.Binary(binary));
  }

  private static Instant instant(ResultSet row, Field<OffsetDateTime> field) throws SQLException {
    return row.getObject(field.getName(), OffsetDateTime.class).toInstant();
  }

  private static @Nullable String text(ResultSet row, Field<String> field) throws SQLException {
    return row.getString(field.getName());
  }

  private static String required(ResultSet row, Field<String> field) throws SQLException {
    var value = text(row, field);
    if (value == null) {
      throw new IllegalStateException("column is null: " + field.getName());
    }
    return value;
  }
}
