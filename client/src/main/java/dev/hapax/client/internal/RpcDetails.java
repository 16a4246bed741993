package dev.hapax.client.internal;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.UnknownFieldSet;
import dev.hapax.v1.Error;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The messages of {@code google.rpc} in an {@link RpcStatus}, by their wire format. */
public final class RpcDetails {

  private static final String ERROR_INFO = "google.rpc.ErrorInfo";
  private static final String RETRY_INFO = "google.rpc.RetryInfo";
  private static final String BAD_REQUEST = "google.rpc.BadRequest";
  private static final String PRECONDITION_FAILURE = "google.rpc.PreconditionFailure";

  private static final String TYPE_PREFIX = "type.googleapis.com/";

  private RpcDetails() {}

  /** The reason of an error, for programs. */
  public record ErrorInfo(String reason, String domain, Map<String, String> metadata) {

    private static final int REASON = 1;
    private static final int DOMAIN = 2;
    private static final int METADATA = 3;
    private static final int KEY = 1;
    private static final int VALUE = 2;

    public ErrorInfo {
      metadata = Map.copyOf(metadata);
    }

    /** Returns the detail of a status. */
    public Any pack() {
      UnknownFieldSet.Builder fields = UnknownFieldSet.newBuilder();
      add(fields, REASON, reason);
      add(fields, DOMAIN, domain);
      metadata.forEach(
          (key, value) -> {
            UnknownFieldSet.Builder entry = UnknownFieldSet.newBuilder();
            add(entry, KEY, key);
            add(entry, VALUE, value);
            add(fields, METADATA, entry.build().toByteString());
          });
      return detail(ERROR_INFO, fields);
    }

    private static ErrorInfo parse(UnknownFieldSet fields) throws InvalidProtocolBufferException {
      Map<String, String> metadata = new LinkedHashMap<>();
      for (ByteString entry : fields.getField(METADATA).getLengthDelimitedList()) {
        UnknownFieldSet pair = UnknownFieldSet.parseFrom(entry);
        metadata.put(text(pair, KEY), text(pair, VALUE));
      }
      return new ErrorInfo(text(fields, REASON), text(fields, DOMAIN), metadata);
    }
  }

  /** Reads a detail. */
  private interface Reader<T> {
    T read(UnknownFieldSet fields) throws InvalidProtocolBufferException;
  }

  /** The reason of a failed call; empty if the error is from a proxy or the transport. */
  public static Optional<ErrorInfo> errorInfo(StatusRuntimeException failure) {
    return find(failure, ERROR_INFO, ErrorInfo::parse);
  }

  /** How long to wait before a retry; empty if the server does not know. */
  public static Optional<Duration> retryDelay(StatusRuntimeException failure) {
    return find(failure, RETRY_INFO, fields -> messages(fields, 1, Duration.parser()))
        .map(delays -> delays.isEmpty() ? Duration.getDefaultInstance() : delays.get(0));
  }

  /** The fields that break a rule. */
  static List<Error.FieldViolation> fieldViolations(StatusRuntimeException failure) {
    // a violation has the same fields in google.rpc and in hapax.v1
    return find(failure, BAD_REQUEST, fields -> messages(fields, 1, Error.FieldViolation.parser()))
        .orElse(List.of());
  }

  /** The conditions that are not met. */
  static List<Error.PreconditionViolation> preconditionViolations(StatusRuntimeException failure) {
    return find(
            failure,
            PRECONDITION_FAILURE,
            fields -> messages(fields, 1, Error.PreconditionViolation.parser()))
        .orElse(List.of());
  }

  private static <T> Optional<T> find(
      StatusRuntimeException failure, String type, Reader<T> reader) {
    for (Any detail : RpcStatus.of(failure).map(RpcStatus::details).orElse(List.of())) {
      if (detail.getTypeUrl().endsWith("/" + type)) {
        try {
          return Optional.of(reader.read(UnknownFieldSet.parseFrom(detail.getValue())));
        } catch (InvalidProtocolBufferException unreadable) {
          return Optional.empty();
        }
      }
    }
    return Optional.empty();
  }

  /** Returns a {@code google.rpc.RetryInfo}. */
  public static Any retryInfo(Duration delay) {
    return repeated(RETRY_INFO, List.of(delay));
  }

  static Any badRequest(List<Error.FieldViolation> violations) {
    return repeated(BAD_REQUEST, violations);
  }

  static Any preconditionFailure(List<Error.PreconditionViolation> violations) {
    return repeated(PRECONDITION_FAILURE, violations);
  }

  private static Any repeated(String type, List<? extends MessageLite> messages) {
    UnknownFieldSet.Builder fields = UnknownFieldSet.newBuilder();
    messages.forEach(each -> add(fields, 1, each.toByteString()));
    return detail(type, fields);
  }

  private static Any detail(String type, UnknownFieldSet.Builder fields) {
    return Any.newBuilder()
        .setTypeUrl(TYPE_PREFIX + type)
        .setValue(fields.build().toByteString())
        .build();
  }

  /** The last value counts, as in every protobuf. */
  static String text(UnknownFieldSet fields, int number) {
    List<ByteString> values = fields.getField(number).getLengthDelimitedList();
    return values.isEmpty() ? "" : values.get(values.size() - 1).toStringUtf8();
  }

  static <M> List<M> messages(UnknownFieldSet fields, int number, Parser<M> parser)
      throws InvalidProtocolBufferException {
    List<M> messages = new ArrayList<>();
    for (ByteString bytes : fields.getField(number).getLengthDelimitedList()) {
      messages.add(parser.parseFrom(bytes));
    }
    return messages;
  }

  /** An empty text is left out, as in every proto3. */
  static void add(UnknownFieldSet.Builder fields, int number, String text) {
    if (!text.isEmpty()) {
      add(fields, number, ByteString.copyFromUtf8(text));
    }
  }

  static void add(UnknownFieldSet.Builder fields, int number, ByteString bytes) {
    fields.mergeField(number, UnknownFieldSet.Field.newBuilder().addLengthDelimited(bytes).build());
  }
}
