package dev.hapax.client.internal;

import com.google.protobuf.Any;
import dev.hapax.v1.Error;
import dev.hapax.v1.ErrorReason;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Converts the error of a streamed call to the status of the unary call, and back. */
public final class ErrorStatus {
  /** The domain of every {@code ErrorInfo}. */
  public static final String DOMAIN = "hapax.dev";

  /** Repeats the reason, for callers that do not decode details. */
  public static final Metadata.Key<String> REASON =
      Metadata.Key.of("hapax-reason", Metadata.ASCII_STRING_MARSHALLER);

  private static final String PREFIX = "ERROR_REASON_";

  /** The number of no reason. */
  private static final int UNKNOWN_REASON = -1;

  private ErrorStatus() {}

  public static StatusRuntimeException of(Error error) {
    List<Any> details = new ArrayList<>();
    Metadata trailers = new Metadata();
    if (error.getReasonValue() != ErrorReason.ERROR_REASON_UNSPECIFIED_VALUE) {
      trailers.put(REASON, reason(error));
      details.add(new RpcDetails.ErrorInfo(reason(error), DOMAIN, error.getMetadataMap()).pack());
    }
    if (error.hasRetryAfter()) {
      details.add(RpcDetails.retryInfo(error.getRetryAfter()));
    }
    if (error.getFieldViolationsCount() > 0) {
      details.add(RpcDetails.badRequest(error.getFieldViolationsList()));
    }
    if (error.getPreconditionViolationsCount() > 0) {
      details.add(RpcDetails.preconditionFailure(error.getPreconditionViolationsList()));
    }
    return new RpcStatus(error.getCode(), error.getMessage(), details).asException(trailers);
  }

  /**
   * Returns the error in a status. Its reason is unspecified if the status is from a proxy or the
   * transport, and UNRECOGNIZED if this client is older than the reason.
   */
  public static Error read(StatusRuntimeException failure) {
    io.grpc.Status status = failure.getStatus();
    Error.Builder error =
        Error.newBuilder()
            .setCode(status.getCode().value())
            .setMessage(
                Objects.requireNonNullElse(status.getDescription(), status.getCode().toString()));
    RpcDetails.errorInfo(failure)
        .ifPresent(
            info -> error.setReasonValue(reason(info.reason())).putAllMetadata(info.metadata()));
    RpcDetails.retryDelay(failure).ifPresent(error::setRetryAfter);
    error.addAllFieldViolations(RpcDetails.fieldViolations(failure));
    error.addAllPreconditionViolations(RpcDetails.preconditionViolations(failure));
    return error.build();
  }

  private static int reason(String name) {
    return Arrays.stream(ErrorReason.values())
        .filter(reason -> reason.name().equals(PREFIX + name))
        .findFirst()
        .map(ErrorReason::getNumber)
        .orElse(UNKNOWN_REASON);
  }

  /** A reason that this client does not know keeps its number. */
  private static String reason(Error error) {
    return error.getReason() == ErrorReason.UNRECOGNIZED
        ? String.valueOf(error.getReasonValue())
        : error.getReason().name().substring(PREFIX.length());
  }
}
