package dev.hapax.bootstrap.demo;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.hapax.client.grpc.IdempotencyInterceptor;
import dev.hapax.client.grpc.IdempotencyReason;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** The response of the order service. */
sealed interface OrderAnswer {
  int DEADLINE_SECONDS = 60;

  /** The order was placed, by this request or by an earlier one. */
  record Placed(ChargeReceipt receipt, boolean replayed) implements OrderAnswer {
    @Override
    public String toString() {
      return receipt + (replayed ? ", replayed" : "");
    }
  }

  /** Another request with this key is in progress. */
  record InProgress(Duration retryAfter) implements OrderAnswer {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT, "ABORTED: DUPLICATE_REQUEST, retry in %.1f s", retryAfter.toMillis() / 1e3);
    }
  }

  /** Any other status. */
  record Refused(Status status, Optional<String> reason) implements OrderAnswer {
    @Override
    public String toString() {
      var why = reason.or(() -> Optional.ofNullable(status.getDescription()));
      return status.getCode() + why.map(text -> ": " + text).orElse("");
    }
  }

  /** Calls the service as a plain gRPC client. */
  static OrderAnswer of(Channel service, OrderRequest request) {
    var headers = new Metadata();
    headers.put(IdempotencyInterceptor.KEY, request.key());
    var trailers = new AtomicReference<Metadata>();
    var channel =
        ClientInterceptors.intercept(
            service,
            MetadataUtils.newAttachHeadersInterceptor(headers),
            MetadataUtils.newCaptureMetadataInterceptor(new AtomicReference<>(), trailers));
    try {
      var receipt =
          ClientCalls.blockingUnaryCall(
              channel,
              OrderService.PLACE_ORDER,
              CallOptions.DEFAULT.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS),
              request.order());
      return new Placed(receipt, trailers.get().containsKey(IdempotencyInterceptor.REPLAYED));
    } catch (StatusRuntimeException refused) {
      var reason = detail(refused, ErrorInfo.class).map(ErrorInfo::getReason);
      return reason.filter(IdempotencyReason.DUPLICATE_REQUEST.name()::equals).isPresent()
          ? new InProgress(retryAfter(refused))
          : new Refused(refused.getStatus(), reason);
    }
  }

  private static Duration retryAfter(StatusRuntimeException refused) {
    return detail(refused, RetryInfo.class)
        .map(RetryInfo::getRetryDelay)
        .map(delay -> Duration.ofSeconds(delay.getSeconds(), delay.getNanos()))
        .orElse(Duration.ZERO);
  }

  private static <M extends Message> Optional<M> detail(
      StatusRuntimeException refused, Class<M> type) {
    var status = StatusProto.fromThrowable(refused);
    if (status == null) {
      return Optional.empty();
    }
    for (var detail : status.getDetailsList()) {
      if (detail.is(type)) {
        try {
          return Optional.of(detail.unpack(type));
        } catch (InvalidProtocolBufferException _) {
          return Optional.empty();
        }
      }
    }
    return Optional.empty();
  }
}
