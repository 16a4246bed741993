package dev.hapax.grpc.operation;

import dev.hapax.domain.Fence;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Page;
import dev.hapax.domain.TimeRange;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationFilter;
import dev.hapax.domain.operation.OperationReads.Listed;
import dev.hapax.domain.operation.OperationReads.Position;
import dev.hapax.domain.operation.OperationReads.Query;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.ListOperationsResponse;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.OperationView;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** Decodes and encodes ListOperations. */
public final class OperationPages {
  private static final int TOKEN_BYTES = 3 * Long.BYTES;

  private OperationPages() {}

  static Query query(ListOperationsRequest request) {
    return new Query(
        FieldReader.workspace(request.getWorkspace()),
        filter(request),
        isFull(request.getView()),
        Page.size(request.getPageSize()),
        position(request.getPageToken()));
  }

  private static OperationFilter filter(ListOperationsRequest request) {
    return new OperationFilter(
        request.getStatesList().stream().map(OperationPages::state).collect(Collectors.toSet()),
        false,
        Set.copyOf(request.getOperationsList()),
        FieldReader.optional(request.getFailureCode()),
        new TimeRange(
            Durations.decode(request.hasStartedAfter(), request.getStartedAfter()),
            Durations.decode(request.hasStartedBefore(), request.getStartedBefore())),
        new TimeRange(
            Durations.decode(request.hasEndedAfter(), request.getEndedAfter()),
            Durations.decode(request.hasEndedBefore(), request.getEndedBefore())));
  }

  private static boolean isFull(OperationView view) {
    return switch (view) {
      case OPERATION_VIEW_UNSPECIFIED, OPERATION_VIEW_BASIC -> false;
      case OPERATION_VIEW_FULL -> true;
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }

  private static Operation.State state(OperationState sent) {
    return switch (sent) {
      case OPERATION_STATE_IN_PROGRESS -> Operation.State.IN_PROGRESS;
      case OPERATION_STATE_INDETERMINATE -> Operation.State.INDETERMINATE;
      case OPERATION_STATE_RELEASED -> Operation.State.RELEASED;
      case OPERATION_STATE_COMPLETED -> Operation.State.COMPLETED;
      case OPERATION_STATE_REJECTED -> Operation.State.REJECTED;
      case OPERATION_STATE_UNSPECIFIED, UNRECOGNIZED ->
          throw new IllegalStateException("rejected before");
    };
  }

  static ListOperationsResponse page(Query query, Page<Listed, Position> page) {
    var response = ListOperationsResponse.newBuilder();
    var isAll =
        PageTokens.fill(
            page.items(),
            listed ->
                query.payloads()
                    ? OperationEncoding.operation(listed.operation())
                    : OperationEncoding.summary(listed.operation()),
            (listed, message) ->
                response.addOperations(message).setNextPageToken(token(listed.position())));
    return isAll && page.next().isEmpty()
        ? response.clearNextPageToken().build()
        : response.build();
  }

  /** Encodes a position, which {@link #position(String)} decodes. */
  public static String token(Position position) {
    return PageTokens.token(
        ByteBuffer.allocate(TOKEN_BYTES)
            .putLong(Fence.first(position.startedAt()).value())
            .putLong(position.hash().getMostSignificantBits())
            .putLong(position.hash().getLeastSignificantBits()));
  }

  public static Optional<Position> position(String token) {
    return PageTokens.position(token, OperationPages::position);
  }

  private static Position position(ByteBuffer token) {
    var micros = token.getLong();
    if (micros < 0) {
      throw new InvalidValueException("must not be before 1970");
    }
    return new Position(
        Instant.EPOCH.plus(micros, ChronoUnit.MICROS), new UUID(token.getLong(), token.getLong()));
  }
}
