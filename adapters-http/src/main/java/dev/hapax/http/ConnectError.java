package dev.hapax.http;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorDetailsProto;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An error as the Connect protocol has it: a code, a message and details. */
record ConnectError(ConnectCode code, String message, List<Any> details) {
  private static final String DOMAIN = "hapax.dev";
  private static final String UNREADABLE = "UNREADABLE_MESSAGE";
  private static final String INVALID = "INVALID_FIELD";

  ConnectError {
    details = List.copyOf(details);
  }

  ConnectError(ConnectCode code, String message) {
    this(code, message, List.of());
  }

  /** The error of a gRPC call. */
  static ConnectError of(Status status, Metadata trailers) {
    if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
      // the words of the status are those of the call within this process
      return new ConnectError(
          ConnectCode.DEADLINE_EXCEEDED,
          "deadline exceeded (Connect-Timeout-Ms); the call may have taken effect");
    }
    var detailed = StatusProto.fromStatusAndTrailers(status, trailers);
    return new ConnectError(
        ConnectCode.of(status.getCode()), detailed.getMessage(), detailed.getDetailsList());
  }

  /** The error of a request whose body is no message of its method. */
  static ConnectError unreadable(String message) {
    var info = ErrorInfo.newBuilder().setReason(UNREADABLE).setDomain(DOMAIN).build();
    return new ConnectError(ConnectCode.INVALID_ARGUMENT, message, List.of(Any.pack(info)));
  }

  /** The error of a field that breaks a rule, as the method would answer it. */
  static ConnectError invalid(String field, String rule) {
    var info =
        ErrorInfo.newBuilder()
            .setReason(INVALID)
            .setDomain(DOMAIN)
            .putMetadata("field", field)
            .build();
    var violations = BadRequest.newBuilder();
    violations.addFieldViolationsBuilder().setField(field).setDescription(rule);
    return new ConnectError(
        ConnectCode.INVALID_ARGUMENT,
        field + " " + rule,
        List.of(Any.pack(info), Any.pack(violations.build())));
  }

  /** The error of a request in which this server has a fault. */
  static ConnectError unexpected() {
    return new ConnectError(ConnectCode.INTERNAL, "internal error; see the log");
  }

  /** When the same request may succeed, if the error says so. */
  Optional<Duration> retryAfter() {
    return detail(RetryInfo.class).map(RetryInfo::getRetryDelay);
  }

  /** The reason, for clients that do not decode details; gRPC has the same trailer. */
  Map<String, String> trailers() {
    return detail(ErrorInfo.class)
        .filter(info -> info.getDomain().equals(DOMAIN))
        .map(info -> Map.of("hapax-reason", info.getReason()))
        .orElse(Map.of());
  }

  private <T extends Message> Optional<T> detail(Class<T> type) {
    return details.stream()
        .filter(detail -> detail.is(type))
        .findFirst()
        .map(
            detail -> {
              try {
                return detail.unpack(type);
              } catch (InvalidProtocolBufferException e) {
                throw new IllegalStateException("a status of this server has a broken detail", e);
              }
            });
  }

  /** The JSON object of the error. */
  private Struct json() {
    var error = Struct.newBuilder().putFields("code", text(code.wireName()));
    if (!message.isEmpty()) {
      error.putFields("message", text(message));
    }
    if (!details.isEmpty()) {
      var objects = details.stream().map(detail -> object(json(detail))).toList();
      error.putFields("details", list(objects));
    }
    return error.build();
  }

  /** The JSON text of the error. */
  ByteString body() {
    return ByteString.copyFromUtf8(JsonMessages.print(json()));
  }

  /** The JSON text at the end of a stream that failed. */
  ByteString end() {
    var end = Struct.newBuilder().putFields("error", object(json()));
    if (!trailers().isEmpty()) {
      var metadata = Struct.newBuilder();
      trailers().forEach((name, value) -> metadata.putFields(name, list(List.of(text(value)))));
      end.putFields("metadata", object(metadata.build()));
    }
    return ByteString.copyFromUtf8(JsonMessages.print(end));
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

  private static Value object(Struct fields) {
    return Value.newBuilder().setStructValue(fields).build();
  }

  private static Value list(List<Value> values) {
    return Value.newBuilder().setListValue(ListValue.newBuilder().addAllValues(values)).build();
  }

  private static Value text(String text) {
    return Value.newBuilder().setStringValue(text).build();
  }
}
