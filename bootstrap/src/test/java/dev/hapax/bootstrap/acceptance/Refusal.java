package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.BadRequest.FieldViolation;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.hapax.v1.ErrorReason;
import io.grpc.Metadata;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * An error as a client reads it.
 *
 * @param fields those that BadRequest names
 * @param trailer the reason as a client in any language reads it
 */
record Refusal(
    Code code,
    String message,
    List<ErrorInfo> infos,
    List<String> fields,
    boolean saysWhenToRetry,
    String trailer) {
  private static final Metadata.Key<String> REASON =
      Metadata.Key.of("hapax-reason", Metadata.ASCII_STRING_MARSHALLER);

  /** The error this call ends with. */
  static Refusal of(ThrowingCallable call) {
    try {
      call.call();
    } catch (StatusRuntimeException e) {
      return of(e);
    } catch (Throwable e) {
      throw new AssertionError("no status", e);
    }
    throw new AssertionError("it was answered");
  }

  /** The error an asynchronous call ended with. */
  static Refusal of(ExecutionException error) {
    return of((StatusRuntimeException) Objects.requireNonNull(error.getCause()));
  }

  static Refusal of(StatusRuntimeException error) {
    var infos = new ArrayList<ErrorInfo>();
    var fields = new ArrayList<String>();
    var retry = false;
    for (var detail : details(error)) {
      if (detail.is(ErrorInfo.class)) {
        infos.add(unpack(detail, ErrorInfo.class));
      } else if (detail.is(BadRequest.class)) {
        unpack(detail, BadRequest.class).getFieldViolationsList().stream()
            .map(FieldViolation::getField)
            .forEach(fields::add);
      } else if (detail.is(RetryInfo.class)) {
        retry = true;
      }
    }
    var message = Objects.requireNonNullElse(error.getStatus().getDescription(), "");
    var trailer = Objects.requireNonNullElseGet(error.getTrailers(), Metadata::new).get(REASON);
    return new Refusal(
        error.getStatus().getCode(),
        message,
        infos,
        fields,
        retry,
        Objects.requireNonNullElse(trailer, ""));
  }

  private static List<Any> details(StatusRuntimeException error) {
    var status = StatusProto.fromThrowable(error);
    return status == null ? List.of() : status.getDetailsList();
  }

  private static <T extends com.google.protobuf.Message> T unpack(Any detail, Class<T> type) {
    try {
      return detail.unpack(type);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("an error detail that cannot be read", e);
    }
  }

  /** The reason, which there must be exactly one of, and in the published list. */
  ErrorReason reason() {
    if (infos.size() != 1 || !infos.getFirst().getDomain().equals("hapax.dev")) {
      throw new AssertionError("not exactly one ErrorInfo of hapax.dev: " + this);
    }
    var name = infos.getFirst().getReason();
    if (!name.equals(trailer)) {
      throw new AssertionError("the trailer hapax-reason is not " + name + ": " + this);
    }
    return ErrorReason.valueOf("ERROR_REASON_" + name);
  }

  Map<String, String> metadata() {
    return infos.getFirst().getMetadataMap();
  }
}
