package dev.hapax.grpc.operation;

import dev.hapax.domain.Fence;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Page;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationReads.Listed;
import dev.hapax.domain.operation.OperationReads.Position;
import dev.hapax.domain.operation.OperationReads.Query;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Fields;
import dev.hapax.grpc.call.Pages;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.ListOperationsResponse;
import dev.hapax.v1.OperationState;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;

/** ListOperations on the wire. */
public final class OperationPages {
  private static final int TOKEN_BYTES = 3 * Long.BYTES;

  private OperationPages() {}

  static Query query(ListOperationsRequest request) {
    return new Query(
        Fields.workspace(request.getWorkspace()),
        state(request),
        false,
        Fields.optionalName("operation", request.getOperation()),
        request.hasStartedAfter()
            ? Optional.of(Durations.read("started_after", request.getStartedAfter()))
            : Optional.empty(),
        request.hasStartedBefore()
            ? Optional.of(Durations.read("started_before", request.getStartedBefore()))
            : Optional.empty(),
        Fields.read("page_size", request.getPageSize(), Page::size),
        position(request.getPageToken()));
  }

  private static Optional<Operation.State> state(ListOperationsRequest request) {
    return switch (Fields.known("state", request.getStateValue(), OperationState::forNumber)) {
      case OPERATION_STATE_UNSPECIFIED -> Optional.empty();
      case OPERATION_STATE_IN_PROGRESS -> Optional.of(Operation.State.IN_PROGRESS);
      case OPERATION_STATE_INDETERMINATE -> Optional.of(Operation.State.INDETERMINATE);
      case OPERATION_STATE_RELEASED -> Optional.of(Operation.State.RELEASED);
      case OPERATION_STATE_COMPLETED -> Optional.of(Operation.State.COMPLETED);
      case OPERATION_STATE_REJECTED -> Optional.of(Operation.State.REJECTED);
      case UNRECOGNIZED -> throw new IllegalStateException("refused before");
    };
  }

  static ListOperationsResponse page(Page<Listed, Position> page) {
    var response = ListOperationsResponse.newBuilder();
    var isAll =
        Pages.fill(
            page.items(),
            listed -> OperationEncoding.summary(listed.operation()),
            (listed, summary) ->
                response.addOperations(summary).setNextPageToken(token(listed.position())));
    return isAll && page.next().isEmpty()
        ? response.clearNextPageToken().build()
        : response.build();
  }

  /** What {@link #position(String)} reads. */
  public static String token(Position position) {
    return Pages.token(
        ByteBuffer.allocate(TOKEN_BYTES)
            .putLong(Fence.first(position.startedAt()).value())
            .putLong(position.hash().getMostSignificantBits())
            .putLong(position.hash().getLeastSignificantBits()));
  }

  public static Optional<Position> position(String token) {
    return Pages.position(token, OperationPages::position);
  }

  private static Position position(ByteBuffer token) {
    var micros = token.getLong();
    if (micros < 0) {
      throw new InvalidValueException("is before 1970");
    }
    return new Position(
        Instant.EPOCH.plus(micros, ChronoUnit.MICROS), new UUID(token.getLong(), token.getLong()));
  }
}
