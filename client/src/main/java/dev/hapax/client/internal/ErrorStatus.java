package dev.hapax.client.internal;

import com.google.protobuf.Any;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.PreconditionFailure;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import dev.hapax.v1.Error;
import dev.hapax.v1.ErrorReason;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

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
    Status.Builder status =
        Status.newBuilder().setCode(error.getCode()).setMessage(error.getMessage());
    Metadata trailers = new Metadata();
    if (error.getReasonValue() != ErrorReason.ERROR_REASON_UNSPECIFIED_VALUE) {
      trailers.put(REASON, reason(error));
      status.addDetails(Any.pack(info(error)));
    }
    if (error.hasRetryAfter()) {
      status.addDetails(
          Any.pack(RetryInfo.newBuilder().setRetryDelay(error.getRetryAfter()).build()));
    }
    if (error.getFieldViolationsCount() > 0) {
      status.addDetails(Any.pack(badRequest(error.getFieldViolationsList())));
    }
    if (error.getPreconditionViolationsCount() > 0) {
      status.addDetails(Any.pack(preconditions(error.getPreconditionViolationsList())));
    }
    return StatusProto.toStatusRuntimeException(status.build(), trailers);
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
    Backoff.detail(failure, ErrorInfo.class)
        .ifPresent(
            info ->
                error
                    .setReasonValue(reason(info.getReason()))
                    .putAllMetadata(info.getMetadataMap()));
    Backoff.detail(failure, RetryInfo.class)
        .ifPresent(info -> error.setRetryAfter(info.getRetryDelay()));
    Backoff.detail(failure, BadRequest.class)
        .ifPresent(
            bad ->
                bad.getFieldViolationsList()
                    .forEach(
                        each ->
                            error
                                .addFieldViolationsBuilder()
                                .setField(each.getField())
                                .setDescription(each.getDescription())));
    Backoff.detail(failure, PreconditionFailure.class)
        .ifPresent(
            failed ->
                failed
                    .getViolationsList()
                    .forEach(
                        each ->
                            error
                                .addPreconditionViolationsBuilder()
                                .setType(each.getType())
                                .setSubject(each.getSubject())
                                .setDescription(each.getDescription())));
    return error.build();
  }

  private static int reason(String name) {
    return Arrays.stream(ErrorReason.values())
        .filter(reason -> reason.name().equals(PREFIX + name))
        .findFirst()
        .map(ErrorReason::getNumber)
        .orElse(UNKNOWN_REASON);
  }

  private static ErrorInfo info(Error error) {
    return ErrorInfo.newBuilder()
        .setDomain(DOMAIN)
        .setReason(reason(error))
        .putAllMetadata(error.getMetadataMap())
        .build();
  }

  /** A reason that this client does not know keeps its number. */
  private static String reason(Error error) {
    return error.getReason() == ErrorReason.UNRECOGNIZED
        ? String.valueOf(error.getReasonValue())
        : error.getReason().name().substring(PREFIX.length());
  }

  private static BadRequest badRequest(List<Error.FieldViolation> violations) {
    return BadRequest.newBuilder()
        .addAllFieldViolations(
            violations.stream()
                .map(
                    each ->
                        BadRequest.FieldViolation.newBuilder()
                            .setField(each.getField())
                            .setDescription(each.getDescription())
                            .build())
                .collect(Collectors.toList()))
        .build();
  }

  private static PreconditionFailure preconditions(List<Error.PreconditionViolation> violations) {
    return PreconditionFailure.newBuilder()
        .addAllViolations(
            violations.stream()
                .map(
                    each ->
                        PreconditionFailure.Violation.newBuilder()
                            .setType(each.getType())
                            .setSubject(each.getSubject())
                            .setDescription(each.getDescription())
                            .build())
                .collect(Collectors.toList()))
        .build();
  }
}
