package dev.hapax.client.operation;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.hapax.client.internal.ErrorStatus;
import dev.hapax.client.internal.ProtoTimes;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.Map;

/** Creates the statuses of {@link IdempotencyReason}. */
final class IdempotencyStatus {

  static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

  private IdempotencyStatus() {}

  static StatusRuntimeException of(Status.Code code, IdempotencyReason reason, String message) {
    return of(code, reason, message, Map.of());
  }

  static StatusRuntimeException of(
      Status.Code code, IdempotencyReason reason, String message, Map<String, String> metadata) {
    return StatusProto.toStatusRuntimeException(
        status(code, reason, message, metadata).build(), trailers(reason));
  }

  /** ABORTED, with a retry delay. */
  static StatusRuntimeException inProgress(Duration retryAfter) {
    Metadata trailers = trailers(IdempotencyReason.DUPLICATE_REQUEST);
    trailers.put(PUSHBACK, Long.toString(Math.max(1, retryAfter.toMillis())));
    return StatusProto.toStatusRuntimeException(
        status(
                Status.Code.ABORTED,
                IdempotencyReason.DUPLICATE_REQUEST,
                "another call with this idempotency key is in progress",
                Map.of())
            .addDetails(
                Any.pack(
                    RetryInfo.newBuilder().setRetryDelay(ProtoTimes.toProto(retryAfter)).build()))
            .build(),
        trailers);
  }

  private static Metadata trailers(IdempotencyReason reason) {
    Metadata trailers = new Metadata();
    trailers.put(ErrorStatus.REASON, reason.name());
    return trailers;
  }

  private static com.google.rpc.Status.Builder status(
      Status.Code code, IdempotencyReason reason, String message, Map<String, String> metadata) {
    ErrorInfo info =
        ErrorInfo.newBuilder()
            .setReason(reason.name())
            .setDomain(ErrorStatus.DOMAIN)
            .putAllMetadata(metadata)
            .build();
    return com.google.rpc.Status.newBuilder()
        .setCode(code.value())
        .setMessage(message)
        .addDetails(Any.pack(info));
  }
}
