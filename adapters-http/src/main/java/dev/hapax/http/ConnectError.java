package dev.hapax.http;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import com.google.rpc.ErrorDetailsProto;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** An error as the Connect protocol has it: a code, a message and details. */
record ConnectError(ConnectCode code, String message, List<Any> details) {
  private static final String DOMAIN = "hapax.dev";
  private static final String UNREADABLE = "UNREADABLE_MESSAGE";

  ConnectError {
    details = List.copyOf(details);
  }

  ConnectError(ConnectCode code, String message) {
    this(code, message, List.of());
  }

  /** The error of a gRPC call. */
  static ConnectError of(Status status, Metadata trailers) {
    var detailed = StatusProto.fromStatusAndTrailers(status, trailers);
    return new ConnectError(
        ConnectCode.of(status.getCode()), detailed.getMessage(), detailed.getDetailsList());
  }

  /** The error of a request whose body is no message of its method. */
  static ConnectError unreadable(String message) {
    var info = ErrorInfo.newBuilder().setReason(UNREADABLE).setDomain(DOMAIN).build();
    return new ConnectError(ConnectCode.INVALID_ARGUMENT, message, List.of(Any.pack(info)));
  }

  /** The error of a request in which this server has a fault. */
  static ConnectError unexpected() {
    return new ConnectError(ConnectCode.INTERNAL, "internal error; see the log");
  }

  /** When the same request may succeed, if the error says so. */
  Optional<Duration> retryAfter() {
    for (var detail : details) {
      if (detail.is(RetryInfo.class)) {
        try {
          return Optional.of(detail.unpack(RetryInfo.class).getRetryDelay());
        } catch (InvalidProtocolBufferException e) {
          throw new IllegalStateException("a status of this server has a broken detail", e);
        }
      }
    }
    return Optional.empty();
  }

  /** The JSON object of the error. */
  Struct json() {
    var error = Struct.newBuilder().putFields("code", text(code.wireName()));
    if (!message.isEmpty()) {
      error.putFields("message", text(message));
    }
    if (!details.isEmpty()) {
      var list = ListValue.newBuilder();
      details.forEach(detail -> list.addValues(Value.newBuilder().setStructValue(json(detail))));
      error.putFields("details", Value.newBuilder().setListValue(list).build());
    }
    return error.build();
  }

  /** The JSON text of the error. */
  ByteString body() {
    return ByteString.copyFromUtf8(JsonMessages.print(json()));
  }

  private static Struct json(Any detail) {
    var type = detail.getTypeUrl().substring(detail.getTypeUrl().lastIndexOf('/') + 1);
    var bytes =
        Base64.getEncoder().withoutPadding().encodeToString(detail.getValue().toByteArray());
    var json = Struct.newBuilder().putFields("type", text(type)).putFields("value", text(bytes));
    debug(type, detail).ifPresent(debug -> json.putFields("debug", debug));
    return json.build();
  }

  /** The detail in words; empty = a type that is not among the standard ones. */
  private static Optional<Value> debug(String type, Any detail) {
    return ErrorDetailsProto.getDescriptor().getMessageTypes().stream()
        .filter(known -> known.getFullName().equals(type))
        .findFirst()
        .map(
            known -> {
              try {
                var message = DynamicMessage.parseFrom(known, detail.getValue());
                var words = Value.newBuilder();
                JsonFormat.parser().merge(JsonMessages.print(message), words);
                return words.build();
              } catch (InvalidProtocolBufferException e) {
                throw new IllegalStateException("a status of this server has a broken detail", e);
              }
            });
  }

  private static Value text(String text) {
    return Value.newBuilder().setStringValue(text).build();
  }
}
