package dev.hapax.client.grpc;

import com.google.protobuf.Any;
import dev.hapax.client.internal.ErrorStatus;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.RpcDetails;
import dev.hapax.client.internal.RpcStatus;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Creates the statuses of {@link IdempotencyReason}. */
final class IdempotencyStatus {

  static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private IdempotencyStatus() {}

  static StatusRuntimeException of(Status.Code code, IdempotencyReason reason, String message) {
    return of(code, reason, message, Map.of());
  }

  static StatusRuntimeException of(
      Status.Code code, IdempotencyReason reason, String message, Map<String, String> metadata) {
    return new RpcStatus(code.value(), message, List.of(info(reason, metadata)))
        .asException(trailers(reason));
  }

  /** ABORTED, with a retry delay. */
  static StatusRuntimeException inProgress(Duration retryAfter) {
    Metadata trailers = trailers(IdempotencyReason.DUPLICATE_REQUEST);
    trailers.put(PUSHBACK, Long.toString(Math.max(1, retryAfter.toMillis())));
    Any delay = RpcDetails.retryInfo(ProtoTimes.toProto(retryAfter));
    return new RpcStatus(
            Status.Code.ABORTED.value(),
            "another call with this idempotency key is in progress",
            List.of(info(IdempotencyReason.DUPLICATE_REQUEST, Map.of()), delay))
        .asException(trailers);
  }

  /** ABORTED, with a retry delay. */
  static StatusRuntimeException rejectedByExecutor() {
    Metadata trailers = new Metadata();
    trailers.put(PUSHBACK, Long.toString(PAUSE.toMillis()));
    return new RpcStatus(
            Status.Code.ABORTED.value(),
            "the handler's executor rejected the call",
            List.of(RpcDetails.retryInfo(ProtoTimes.toProto(PAUSE))))
        .asException(trailers);
  }

  private static Metadata trailers(IdempotencyReason reason) {
    Metadata trailers = new Metadata();
    trailers.put(ErrorStatus.REASON, reason.name());
    return trailers;
  }

  private static Any info(IdempotencyReason reason, Map<String, String> metadata) {
    return new RpcDetails.ErrorInfo(reason.name(), ErrorStatus.DOMAIN, metadata).pack();
  }
}
