package dev.hapax.grpc.call;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import com.google.rpc.PreconditionFailure;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import dev.hapax.application.waiting.TooManyWaitersException;
import dev.hapax.domain.TooManyException;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.grpc.call.InvalidFieldException.Violation;
import dev.hapax.grpc.trace.TraceHeader;
import dev.hapax.grpc.trace.TracedLog;
import dev.hapax.v1.ErrorReason;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes gRPC statuses: a code, a message for people and one reason for programs. */
public final class GrpcErrors {
  static final String DOMAIN = "hapax.dev";

  /** Repeats the reason, for clients that do not decode details. */
  static final Metadata.Key<String> REASON =
      Metadata.Key.of("hapax-reason", Metadata.ASCII_STRING_MARSHALLER);

  /**
   * The most bytes of a status in the trailers: its message, and the whole status in base64. Most
   * clients read at most 8 KiB of trailers; the rest is for the names of the trailers.
   */
  private static final int MAX_STATUS = 7 * 1024;

  /** The overhead of a nested message. */
  private static final int FRAME = 4;

  /** The overhead of a detail, with the name of its type. */
  private static final int DETAIL = 80;

  /** The longest text that repeats a value of the caller, or lists violations. */
  private static final int MAX_TEXT = 600;

  /** The length of a percent-encoded character of four bytes. */
  private static final int ESCAPED = 12;

  /** How long a server takes to read in which cells workspaces are. */
  private static final Duration MAP_READ = Duration.ofMillis(200);

  private static final String PREFIX = "ERROR_REASON_";
  private static final Logger LOG = LoggerFactory.getLogger(GrpcErrors.class);

  private GrpcErrors() {}

  /** Converts a failure to a status; an unexpected failure is logged as a defect. */
  public static StatusRuntimeException of(Throwable failure) {
    return switch (failure) {
      case CompletionException wrapped when wrapped.getCause() != null -> of(wrapped.getCause());
      case StatusRuntimeException status -> status;
      case InvalidFieldException invalid -> invalidField(invalid);
      case TooManyWaitersException e ->
          error(
              Code.RESOURCE_EXHAUSTED,
              ErrorReason.ERROR_REASON_TOO_MANY_WAITERS,
              e.getMessage() + "; retry later, or with a shorter wait",
              Map.of("limit", String.valueOf(e.limit())));
      case TooManyException e ->
          error(
              Code.RESOURCE_EXHAUSTED,
              ErrorReason.ERROR_REASON_LIMIT_REACHED,
              e.getMessage() + "; reuse an existing one or use another workspace",
              Map.of("limit", String.valueOf(e.limit())));
      case LedgerException e -> ofLedger(e);
      default -> defect(failure);
    };
  }

  private static StatusRuntimeException ofLedger(LedgerException failure) {
    return switch (failure) {
      case LedgerException.Overloaded e ->
          error(
              Code.RESOURCE_EXHAUSTED,
              ErrorReason.ERROR_REASON_OVERLOADED,
              String.format(
                  Locale.ROOT,
                  "server overloaded (%s); retry after %d ms",
                  e.limit(),
                  e.retryAfter().toMillis()),
              Map.of("limit", e.limit()),
              retryInfo(e.retryAfter()));
      case LedgerException.Unavailable e ->
          error(
              Code.UNAVAILABLE,
              ErrorReason.ERROR_REASON_UNAVAILABLE,
              e.getMessage() + "; send the same request again",
              Map.of(),
              e.retryAfter().map(GrpcErrors::retryInfo).stream().toArray(Message[]::new));
      case LedgerException.Moved e ->
          error(
              Code.UNAVAILABLE,
              ErrorReason.ERROR_REASON_UNAVAILABLE,
              e.getMessage() + "; send the same request again, once this server has read which",
              Map.of(),
              retryInfo(MAP_READ));
      case LedgerException.Defective e -> defect(e);
    };
  }

  /**
   * The error of a call that exceeds a limit of its caller or workspace.
   *
   * @param metadata with the name of the {@code limit}
   */
  public static StatusRuntimeException rateLimited(
      String message, Map<String, String> metadata, Duration retryAfter) {
    return error(
        Code.RESOURCE_EXHAUSTED,
        ErrorReason.ERROR_REASON_RATE_LIMITED,
        message,
        metadata,
        retryInfo(retryAfter));
  }

  private static StatusRuntimeException invalidField(InvalidFieldException invalid) {
    var violations = invalid.violations();
    var first = violations.getFirst();
    var message = new StringBuilder(first.toString());
    var shown = 1;
    while (shown < violations.size()
        && message.length() + violations.get(shown).toString().length() < MAX_TEXT) {
      message.append("; ").append(violations.get(shown));
      shown++;
    }
    var more = violations.size() - shown;
    return error(
        Code.INVALID_ARGUMENT,
        ErrorReason.ERROR_REASON_INVALID_FIELD,
        message + (more == 0 ? "" : String.format(Locale.ROOT, "; and %d more", more)),
        Map.of("field", first.field()),
        badRequest(violations));
  }

  /** A detail with invalid fields and their rules; {@link #error} keeps as many as fit. */
  public static Message badRequest(List<Violation> violations) {
    return BadRequest.newBuilder()
        .addAllFieldViolations(
            violations.stream().map(v -> violation(v.field(), v.rule())).toList())
        .build();
  }

  /** A detail with unmet preconditions and their reason; {@link #error} keeps as many as fit. */
  public static Message preconditions(ErrorReason type, List<Violation> unmet) {
    return PreconditionFailure.newBuilder()
        .addAllViolations(
            unmet.stream()
                .map(
                    v ->
                        PreconditionFailure.Violation.newBuilder()
                            .setType(type.name().substring(PREFIX.length()))
                            .setSubject(v.field())
                            .setDescription(v.rule())
                            .build())
                .toList())
        .build();
  }

  /** Shortens the list of a detail to the bytes that are left. */
  private static Message truncated(int room, Message detail) {
    return switch (detail) {
      case BadRequest all ->
          BadRequest.newBuilder()
              .addAllFieldViolations(fitting(room, all.getFieldViolationsList()))
              .build();
      case PreconditionFailure all ->
          PreconditionFailure.newBuilder()
              .addAllViolations(fitting(room, all.getViolationsList()))
              .build();
      default -> detail;
    };
  }

  private static <M extends Message> List<M> fitting(int room, List<M> messages) {
    var some = new ArrayList<M>();
    var left = room;
    for (var message : messages) {
      left -= message.getSerializedSize() + FRAME;
      if (left < 0) {
        break;
      }
      some.add(message);
    }
    return some;
  }

  /** The bytes that are left for details; the status is sent again in base64. */
  private static int room(Status.Builder status) {
    var message = 0;
    for (var each : status.getMessage().getBytes(StandardCharsets.UTF_8)) {
      message += each < ' ' || each > '~' || each == '%' ? 3 : 1;
    }
    return (MAX_STATUS - message) / 4 * 3 - status.build().getSerializedSize() - DETAIL;
  }

  /** Truncates a value of the caller so that the status fits into the trailers. */
  public static String cut(String text) {
    var room = MAX_TEXT;
    for (var i = 0; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
      room -= text.codePointAt(i) < 0x80 ? 1 : ESCAPED;
      if (room < 0) {
        return text.substring(0, i) + "...";
      }
    }
    return text;
  }

  private static StatusRuntimeException defect(Throwable failure) {
    var id = UUID.randomUUID().toString();
    TracedLog.write(
        TraceHeader.current(), () -> LOG.error("unexpected error (error_id {})", id, failure));
    return error(
        Code.INTERNAL,
        ErrorReason.ERROR_REASON_INTERNAL,
        "internal error; the server's log has it as error_id " + id,
        Map.of("error_id", id));
  }

  /** The trailers for a call that is closed without a stream observer. */
  public static Metadata trailers(StatusRuntimeException error) {
    return Objects.requireNonNullElseGet(error.getTrailers(), Metadata::new);
  }

  /** The reason in the trailers of a call; empty = it has not failed, or not in a service. */
  public static Optional<String> reason(Metadata trailers) {
    return Optional.ofNullable(trailers.get(REASON));
  }

  /** A detail with one invalid field. */
  public static Message badRequest(String field, String rule) {
    return BadRequest.newBuilder().addFieldViolations(violation(field, rule)).build();
  }

  private static BadRequest.FieldViolation violation(String field, String rule) {
    return BadRequest.FieldViolation.newBuilder().setField(field).setDescription(rule).build();
  }

  /** A detail with the time to wait before a retry. */
  public static Message retryInfo(Duration after) {
    return RetryInfo.newBuilder().setRetryDelay(Durations.encode(after)).build();
  }

  /** Parses the reason of an ErrorInfo. */
  static ErrorReason reason(String name) {
    return ErrorReason.valueOf(PREFIX + name);
  }

  /** Makes a status with one ErrorInfo and further details, truncated to what fits. */
  public static StatusRuntimeException error(
      Code code,
      ErrorReason reason,
      String message,
      Map<String, String> metadata,
      Message... details) {
    var name = reason.name().substring(PREFIX.length());
    var info =
        ErrorInfo.newBuilder().setReason(name).setDomain(DOMAIN).putAllMetadata(metadata).build();
    var status =
        Status.newBuilder()
            .setCode(code.getNumber())
            .setMessage(message)
            .addDetails(Any.pack(info));
    for (var detail : details) {
      status.addDetails(Any.pack(truncated(room(status), detail)));
    }
    var trailers = new Metadata();
    trailers.put(REASON, name);
    return StatusProto.toStatusRuntimeException(status.build(), trailers);
  }
}
