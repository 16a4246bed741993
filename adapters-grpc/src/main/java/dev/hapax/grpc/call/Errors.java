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
import dev.hapax.v1.ErrorReason;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the statuses of hapax.v1: a code, a sentence for people, one reason for programs. */
public final class Errors {
  static final String DOMAIN = "hapax.dev";

  /** The reason once more, for clients that do not decode details. */
  static final Metadata.Key<String> REASON =
      Metadata.Key.of("hapax-reason", Metadata.ASCII_STRING_MARSHALLER);

  /**
   * Of a whole status: its message, and beside it all of it in base 64. Clients read no more than 8
   * KiB of trailers, most of them; the rest is for names.
   */
  private static final int MAX_STATUS = 7 * 1024;

  /** Around a message that is in another one. */
  private static final int FRAME = 4;

  /** Around a detail, with the name of its type. */
  private static final int DETAIL = 80;

  /** Of one text that repeats what a caller sent. */
  private static final int MAX_TEXT = 600;

  /** A character of four bytes, percent-encoded. */
  private static final int ESCAPED = 12;

  private static final String PREFIX = "ERROR_REASON_";
  private static final Logger LOG = LoggerFactory.getLogger(Errors.class);

  private Errors() {}

  /** The status for whatever ended a call; what is not expected is a defect, and is logged. */
  public static StatusRuntimeException of(Throwable failure) {
    return switch (failure) {
      case CompletionException wrapped when wrapped.getCause() != null -> of(wrapped.getCause());
      case StatusRuntimeException status -> status;
      case InvalidFieldException invalid -> invalidField(invalid);
      case TooManyWaitersException e ->
          error(
              Code.RESOURCE_EXHAUSTED,
              ErrorReason.ERROR_REASON_TOO_MANY_WAITERS,
              e.getMessage() + "; wait less, or try again later",
              Map.of("limit", String.valueOf(e.limit())));
      case TooManyException e ->
          error(
              Code.RESOURCE_EXHAUSTED,
              ErrorReason.ERROR_REASON_LIMIT_REACHED,
              e.getMessage() + "; let one serve more, or use another workspace",
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
              "too much waits for the database: %s; try again after %d ms"
                  .formatted(e.limit(), e.retryAfter().toMillis()),
              Map.of("limit", e.limit()),
              retryInfo(e.retryAfter()));
      case LedgerException.Unavailable e ->
          error(
              Code.UNAVAILABLE,
              ErrorReason.ERROR_REASON_UNAVAILABLE,
              e.getMessage() + "; send the same request again",
              Map.of());
      case LedgerException.Defective e -> defect(e.getCause() == null ? e : e.getCause());
    };
  }

  private static StatusRuntimeException invalidField(InvalidFieldException invalid) {
    var violations = invalid.violations();
    var first = violations.getFirst();
    var more = violations.size() - 1;
    return error(
        Code.INVALID_ARGUMENT,
        ErrorReason.ERROR_REASON_INVALID_FIELD,
        first + (more == 0 ? "" : "; and %d more".formatted(more)),
        Map.of("field", first.field()),
        badRequest(violations));
  }

  /** Fields and their rules; {@link #error} takes as many as travel. */
  public static Message badRequest(List<Violation> violations) {
    return BadRequest.newBuilder()
        .addAllFieldViolations(
            violations.stream().map(v -> violation(v.field(), v.rule())).toList())
        .build();
  }

  /**
   * What has to be otherwise first, and by which reason; {@link #error} takes as many as travel.
   */
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

  /** A detail with as much of its list as there is room for, in bytes. */
  private static Message within(int room, Message detail) {
    return switch (detail) {
      case BadRequest all ->
          BadRequest.newBuilder()
              .addAllFieldViolations(travelling(room, all.getFieldViolationsList()))
              .build();
      case PreconditionFailure all ->
          PreconditionFailure.newBuilder()
              .addAllViolations(travelling(room, all.getViolationsList()))
              .build();
      default -> detail;
    };
  }

  private static <M extends Message> List<M> travelling(int room, List<M> messages) {
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

  /** How many bytes more a status may have, as it is sent a second time in base 64. */
  private static int room(Status.Builder status) {
    var message = 0;
    for (var each : status.getMessage().getBytes(StandardCharsets.UTF_8)) {
      message += each < ' ' || each > '~' || each == '%' ? 3 : 1;
    }
    return (MAX_STATUS - message) / 4 * 3 - status.build().getSerializedSize() - DETAIL;
  }

  /** As much of a text as travels beside others; what is not ASCII is sent in three places. */
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
    LOG.error("a call failed for a reason nobody foresaw (error_id {})", id, failure);
    return error(
        Code.INTERNAL,
        ErrorReason.ERROR_REASON_INTERNAL,
        "an error of the server, in its log as " + id,
        Map.of("error_id", id));
  }

  /** What a call that is closed by hand sends along. */
  public static Metadata trailers(StatusRuntimeException error) {
    return Objects.requireNonNullElseGet(error.getTrailers(), Metadata::new);
  }

  /** Names a field and what is wrong with it. */
  public static Message badRequest(String field, String rule) {
    return BadRequest.newBuilder().addFieldViolations(violation(field, rule)).build();
  }

  private static BadRequest.FieldViolation violation(String field, String rule) {
    return BadRequest.FieldViolation.newBuilder().setField(field).setDescription(rule).build();
  }

  /** When to try again. */
  public static Message retryInfo(Duration after) {
    return RetryInfo.newBuilder().setRetryDelay(Durations.encode(after)).build();
  }

  /** The reason that an ErrorInfo names. */
  static ErrorReason reason(String name) {
    return ErrorReason.valueOf(PREFIX + name);
  }

  /** A status with one ErrorInfo and whatever else helps, as much of it as travels. */
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
      status.addDetails(Any.pack(within(room(status), detail)));
    }
    var trailers = new Metadata();
    trailers.put(REASON, name);
    return StatusProto.toStatusRuntimeException(status.build(), trailers);
  }
}
