package dev.hapax.postgres.operation;

import static dev.hapax.postgres.schema.Tables.OPERATION;
import static dev.hapax.postgres.schema.Tables.OPERATION_RESULT;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationSubject.Resolution;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.read.StoredPrincipal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** The columns of both tables of operations. */
final class OperationColumns {
  static final String WAS_FENCE = "was_fence";

  private OperationColumns() {}

  static <R> List<Column<R>> key(Function<R, OperationId> id) {
    return List.of(
        new Column<>(
            OPERATION.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(OPERATION.ID.getName(), Kind.UUID, row -> id.apply(row).hash()));
  }

  /** The guard of a write: the fence of the grant that was loaded. */
  static <R> List<Column<R>> was(Function<R, @Nullable Operation> before) {
    return List.of(
        new Column<>(WAS_FENCE, Kind.LONG, row -> some(before.apply(row)).grant().fence().value()));
  }

  /** The columns of {@code operation} without the key. */
  static <R> List<Column<R>> live(Function<R, @Nullable Operation> after) {
    return Stream.concat(
            common(after).stream(),
            Stream.of(
                column(OPERATION.UNTIL, Kind.INSTANT, after, OperationColumns::until),
                column(OPERATION.ATTEMPT_ID, Kind.UUID, after, OperationColumns::attemptId),
                column(OPERATION.HOLD, Kind.BOOL, after, OperationColumns::hold),
                column(OPERATION.FAILURE_JSON, Kind.TEXT, after, o -> json(details(o))),
                column(OPERATION.FAILURE_BYTES, Kind.BYTES, after, o -> bytes(details(o)))))
        .toList();
  }

  /** The columns of {@code operation_result} without the key. */
  static <R> List<Column<R>> finished(Function<R, @Nullable Operation> after) {
    return Stream.concat(
            common(after).stream(),
            Stream.of(
                column(OPERATION_RESULT.PURGE_ON, Kind.DATE, after, OperationColumns::purgeOn),
                column(OPERATION_RESULT.ENDED_AT, Kind.INSTANT, after, OperationColumns::until),
                column(
                    OPERATION_RESULT.ACCOUNT_AFTER,
                    Kind.TEXT,
                    after,
                    OperationColumns::accountAfter),
                column(OPERATION_RESULT.JSON, Kind.TEXT, after, o -> json(answer(o))),
                column(OPERATION_RESULT.BYTES, Kind.BYTES, after, o -> bytes(answer(o)))))
        .toList();
  }

  private static <R> List<Column<R>> common(Function<R, @Nullable Operation> after) {
    return List.of(
        column(OPERATION.STATE, Kind.SHORT, after, o -> OperationRows.code(o.state())),
        column(OPERATION.ATTEMPT, Kind.INT, after, o -> o.grant().attempt()),
        column(OPERATION.NONCE, Kind.LONG, after, o -> o.grant().nonce()),
        column(OPERATION.FENCE, Kind.LONG, after, o -> o.grant().fence().value()),
        column(OPERATION.STARTED_AT, Kind.INSTANT, after, o -> o.grant().at()),
        column(OPERATION.EXPIRES_AT, Kind.INSTANT, after, o -> o.grant().expiresAt()),
        column(OPERATION.FINGERPRINT, Kind.UUID, after, o -> o.subject().fingerprint().hash()),
        column(
            OPERATION.ACCOUNT_CHANGING, Kind.BOOL, after, o -> o.subject().key().accountChanging()),
        column(OPERATION.ACCOUNT, Kind.TEXT, after, o -> o.subject().key().account()),
        column(OPERATION.CLAIM_ACCOUNT, Kind.TEXT, after, OperationColumns::claimAccount),
        column(OPERATION.OPERATION_, Kind.TEXT, after, o -> o.subject().key().operation()),
        column(OPERATION.REQUEST_ID, Kind.TEXT, after, o -> o.subject().key().requestId()),
        column(
            OPERATION.FAILURE_CODE,
            Kind.TEXT,
            after,
            o -> failure(o).map(Failure::code).orElse(null)),
        column(
            OPERATION.FAILURE_MESSAGE,
            Kind.TEXT,
            after,
            o -> failure(o).map(Failure::message).orElse(null)),
        column(
            OPERATION.RESOLUTION_ID, Kind.TEXT, after, o -> resolution(o, Resolution::requestId)),
        column(
            OPERATION.RESOLUTION,
            Kind.TEXT,
            after,
            o -> resolution(o, resolution -> resolution.by().reason())),
        column(
            OPERATION.RESOLUTION_ACTOR,
            Kind.TEXT,
            after,
            o -> resolution(o, resolution -> resolution.by().actor())),
        column(
            OPERATION.RESOLUTION_PRINCIPAL,
            Kind.TEXT,
            after,
            o -> resolution(o, resolution -> StoredPrincipal.text(resolution.by().principal()))),
        column(
            OPERATION.RESOLUTION_FENCE,
            Kind.LONG,
            after,
            o -> resolution(o, resolution -> resolution.fence().value())),
        column(
            OPERATION.EARLIER_FAILURES,
            Kind.BYTES,
            after,
            o -> RememberedCallsBytes.failures(o.subject().earlier())),
        column(
            OPERATION.EARLIER_RESOLUTIONS,
            Kind.BYTES,
            after,
            o -> RememberedCallsBytes.resolutions(o.subject().earlier())));
  }

  private static <R> Column<R> column(
      Field<?> field,
      Kind kind,
      Function<R, @Nullable Operation> operation,
      Function<Operation, @Nullable Object> value) {
    return new Column<>(field.getName(), kind, row -> value.apply(some(operation.apply(row))));
  }

  private static Operation some(@Nullable Operation operation) {
    if (operation == null) {
      throw new IllegalArgumentException("a write has no operation");
    }
    return operation;
  }

  private static Instant until(Operation operation) {
    return switch (operation) {
      case Operation.InProgress o -> o.leaseUntil();
      case Operation.Indeterminate o -> o.since();
      case Operation.Released o -> o.since();
      case Operation.Completed o -> o.since();
      case Operation.Rejected o -> o.since();
    };
  }

  /** The attempt; in doubt only that of a late holder, which may renew its lease. */
  private static @Nullable UUID attemptId(Operation operation) {
    return switch (operation) {
      case Operation.InProgress held -> held.attemptId().hash();
      case Operation.Indeterminate held -> held.lapsed().map(AttemptId::hash).orElse(null);
      case Operation.Released _, Operation.Completed _, Operation.Rejected _ -> null;
    };
  }

  private static boolean hold(Operation operation) {
    return operation instanceof Operation.InProgress held && held.onStale() == OnStale.HOLD;
  }

  private static @Nullable String claimAccount(Operation operation) {
    var account = operation.grant().account();
    return account.equals(operation.subject().key().account()) ? null : account;
  }

  private static @Nullable String accountAfter(Operation operation) {
    return operation instanceof Operation.Completed done ? done.accountAfter().orElse(null) : null;
  }

  /**
   * The last day on which the row is needed: until the answer expires, and for at least a day, so
   * that its holder can repeat the call whatever the time to live.
   */
  static LocalDate purgeOn(Operation operation) {
    var askedAgain = LocalDate.ofInstant(until(operation), ZoneOffset.UTC).plusDays(1);
    var expires = LocalDate.ofInstant(operation.grant().expiresAt(), ZoneOffset.UTC);
    return expires.isAfter(askedAgain) ? expires : askedAgain;
  }

  private static Optional<Failure> failure(Operation operation) {
    return switch (operation) {
      case Operation.InProgress _, Operation.Completed _ -> Optional.empty();
      case Operation.Indeterminate o -> o.failure();
      case Operation.Released o -> o.failure();
      case Operation.Rejected o -> Optional.of(o.failure());
    };
  }

  private static Optional<Payload> details(Operation operation) {
    return failure(operation).flatMap(Failure::details);
  }

  private static Optional<Payload> answer(Operation operation) {
    return operation instanceof Operation.Completed done ? done.result() : details(operation);
  }

  private static @Nullable String json(Optional<Payload> payload) {
    return payload.orElse(null) instanceof Payload.Json json ? json.text() : null;
  }

  private static byte @Nullable [] bytes(Optional<Payload> payload) {
    return payload.orElse(null) instanceof Payload.Binary binary ? binary.bytes() : null;
  }

  private static <T> @Nullable T resolution(
      Operation operation, Function<Resolution, @Nullable T> part) {
    return operation.subject().resolution().map(part).orElse(null);
  }
}
