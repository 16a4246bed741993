package dev.hapax.grpc.call;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.PreconditionFailure;
import com.google.rpc.RetryInfo;
import dev.hapax.v1.Error;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** The status of a rejected call. */
public record Refusal(
    Code code,
    String message,
    String reason,
    Map<String, String> metadata,
    List<BadRequest.FieldViolation> violations,
    List<PreconditionFailure.Violation> preconditions,
    Optional<Duration> retryAfter) {
  public static Refusal of(ThrowingCallable call) {
    return of(Assertions.catchThrowableOfType(StatusRuntimeException.class, call));
  }

  public static Refusal of(StatusRuntimeException error) {
    var status = Objects.requireNonNull(StatusProto.fromThrowable(error));
    var details = status.getDetailsList();
    var info = detail(details, ErrorInfo.class).orElseThrow();
    Assertions.assertThat(GrpcErrors.trailers(error).get(GrpcErrors.REASON))
        .isEqualTo(info.getReason());
    return new Refusal(
        error.getStatus().getCode(),
        status.getMessage(),
        info.getReason(),
        info.getMetadataMap(),
        detail(details, BadRequest.class).stream()
            .flatMap(request -> request.getFieldViolationsList().stream())
            .toList(),
        detail(details, PreconditionFailure.class).stream()
            .flatMap(failure -> failure.getViolationsList().stream())
            .toList(),
        detail(details, RetryInfo.class).map(RetryInfo::getRetryDelay));
  }

  /** What the error of one call among many says. */
  public static Refusal of(Error error) {
    return new Refusal(
        Status.fromCodeValue(error.getCode()).getCode(),
        error.getMessage(),
        error.getReason().name().replace("ERROR_REASON_", ""),
        error.getMetadataMap(),
        error.getFieldViolationsList().stream()
            .map(
                each ->
                    BadRequest.FieldViolation.newBuilder()
                        .setField(each.getField())
                        .setDescription(each.getDescription())
                        .build())
            .toList(),
        error.getPreconditionViolationsList().stream()
            .map(
                each ->
                    PreconditionFailure.Violation.newBuilder()
                        .setType(each.getType())
                        .setSubject(each.getSubject())
                        .setDescription(each.getDescription())
                        .build())
            .toList(),
        Optional.of(error).filter(Error::hasRetryAfter).map(Error::getRetryAfter));
  }

  private static <M extends Message> Optional<M> detail(List<Any> details, Class<M> type) {
    return details.stream()
        .filter(detail -> detail.is(type))
        .findFirst()
        .map(
            detail -> {
              try {
                return detail.unpack(type);
              } catch (InvalidProtocolBufferException e) {
                throw new AssertionError(e);
              }
            });
  }

  /** The fields that break a rule. */
  public List<String> fields() {
    return violations.stream().map(BadRequest.FieldViolation::getField).toList();
  }
}
