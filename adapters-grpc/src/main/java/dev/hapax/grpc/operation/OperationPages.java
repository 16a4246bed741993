package dev.hapax.grpc.operation;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Page;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationReads.Listed;
import dev.hapax.domain.operation.OperationReads.Position;
import dev.hapax.domain.operation.OperationReads.Query;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Fields;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.ListOperationsResponse;
import dev.hapax.v1.OperationState;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;

/** ListOperations on the wire. */
final class OperationPages {
  private static final int MAX_PAGE_BYTES = 1 << 20;
  private static final int TOKEN_BYTES = 3 * Long.BYTES;

  private OperationPages() {}

  static Query query(ListOperationsRequest request) {
    return new Query(
        Fields.workspace(request.getWorkspace()),
        state(request),
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
    var bytes = 0;
    for (var listed : page.items()) {
      var summary = OperationEncoding.summary(listed.operation());
      bytes += summary.getSerializedSize();
      if (bytes > MAX_PAGE_BYTES) {
        return response.build();
      }
      response.addOperations(summary).setNextPageToken(token(listed.position()));
    }
    page.next().ifPresentOrElse(_ -> {}, response::clearNextPageToken);
    return response.build();
  }

  private static String token(Position position) {
    var bytes = ByteBuffer.allocate(TOKEN_BYTES);
    bytes.putLong(Fence.first(position.startedAt()).value());
    bytes.putLong(position.hash().getMostSignificantBits());
    bytes.putLong(position.hash().getLeastSignificantBits());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  private static Optional<Position> position(String token) {
    if (token.isEmpty()) {
      return Optional.empty();
    }
    try {
      var bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(token));
      if (bytes.remaining() == TOKEN_BYTES && bytes.getLong(0) >= 0) {
        var startedAt = Instant.EPOCH.plus(bytes.getLong(), ChronoUnit.MICROS);
        return Optional.of(new Position(startedAt, new UUID(bytes.getLong(), bytes.getLong())));
      }
    } catch (IllegalArgumentException _) {
      // told below
    }
    throw new InvalidFieldException("page_token", "is not one that a former page gave");
  }
}
