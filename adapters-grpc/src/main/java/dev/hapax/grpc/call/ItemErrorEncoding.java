package dev.hapax.grpc.call;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.PreconditionFailure;
import com.google.rpc.RetryInfo;
import dev.hapax.v1.Error;
import dev.hapax.v1.Error.FieldViolation;
import dev.hapax.v1.Error.PreconditionViolation;
import io.grpc.protobuf.StatusProto;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Encodes the error of one call of a stream or batch: the status of its unary rpc, with details.
 */
public final class ItemErrorEncoding {
  private ItemErrorEncoding() {}

  public static Error error(Throwable failure) {
    var status = Objects.requireNonNull(StatusProto.fromThrowable(GrpcErrors.of(failure)));
    var error = Error.newBuilder().setCode(status.getCode()).setMessage(status.getMessage());
    try {
      for (var detail : status.getDetailsList()) {
        add(error, detail);
      }
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("failed to decode a status detail of this server", e);
    }
    return error.build();
  }

  /** Returns the message of an error, then a line for each precondition if there are several. */
  public static String text(Error error) {
    var violations = error.getPreconditionViolationsList();
    return violations.size() < 2
        ? error.getMessage()
        : violations.stream()
            .map(each -> "\n    %s: %s".formatted(each.getSubject(), each.getDescription()))
            .collect(Collectors.joining("", error.getMessage(), ""));
  }

  private static void add(Error.Builder error, Any detail) throws InvalidProtocolBufferException {
    if (detail.is(ErrorInfo.class)) {
      var info = detail.unpack(ErrorInfo.class);
      error.setReason(GrpcErrors.reason(info.getReason())).putAllMetadata(info.getMetadataMap());
    } else if (detail.is(RetryInfo.class)) {
      error.setRetryAfter(detail.unpack(RetryInfo.class).getRetryDelay());
    } else if (detail.is(BadRequest.class)) {
      detail.unpack(BadRequest.class).getFieldViolationsList().stream()
          .map(ItemErrorEncoding::violation)
          .forEach(error::addFieldViolations);
    } else if (detail.is(PreconditionFailure.class)) {
      detail.unpack(PreconditionFailure.class).getViolationsList().stream()
          .map(ItemErrorEncoding::violation)
          .forEach(error::addPreconditionViolations);
    } else {
      throw new IllegalStateException("hapax.v1.Error has no field for " + detail.getTypeUrl());
    }
  }

  private static FieldViolation violation(BadRequest.FieldViolation of) {
    return FieldViolation.newBuilder()
        .setField(of.getField())
        .setDescription(of.getDescription())
        .build();
  }

  private static PreconditionViolation violation(PreconditionFailure.Violation of) {
    return PreconditionViolation.newBuilder()
        .setType(of.getType())
        .setSubject(of.getSubject())
        .setDescription(of.getDescription())
        .build();
  }
}
