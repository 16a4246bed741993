package dev.hapax.console.web;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Optional;
import java.util.regex.Pattern;

/** Errors of calls as pages show them. */
public final class CallErrors {
  /** Not a name such as {@code api-key:billing}, or that of a field. */
  private static final Pattern FIRST_WORD = Pattern.compile("[a-z]+( |,|$)");

  private CallErrors() {}

  /** The status of a page that shows the error. */
  public static int httpStatus(Status.Code code) {
    return switch (code) {
      case NOT_FOUND -> 404;
      case PERMISSION_DENIED -> 403;
      case INVALID_ARGUMENT, OUT_OF_RANGE -> 400;
      case FAILED_PRECONDITION, ABORTED, ALREADY_EXISTS -> 409;
      case RESOURCE_EXHAUSTED -> 429;
      case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED -> 503;
      case UNAUTHENTICATED -> 401;
      case OK, UNKNOWN, UNIMPLEMENTED, INTERNAL, DATA_LOSS -> 500;
    };
  }

  static ErrorView view(StatusRuntimeException error) {
    var status = error.getStatus();
    return new ErrorView(heading(status.getCode()), sentence(status));
  }

  /** The problem, as a sentence. */
  public static String sentence(StatusRuntimeException error) {
    return sentence(error.getStatus());
  }

  private static String heading(Status.Code code) {
    return switch (code) {
      case NOT_FOUND -> "Not found";
      case PERMISSION_DENIED -> "Not permitted";
      case INVALID_ARGUMENT, OUT_OF_RANGE -> "Invalid request";
      case FAILED_PRECONDITION, ABORTED, ALREADY_EXISTS -> "Nothing was changed";
      case RESOURCE_EXHAUSTED, UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED -> "Try again";
      case UNAUTHENTICATED -> "Not logged in";
      case OK, UNKNOWN, UNIMPLEMENTED, INTERNAL, DATA_LOSS -> "Internal error";
    };
  }

  /** A text of the API begins in lower case, perhaps with a name, and ends without a full stop. */
  private static String sentence(Status status) {
    if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
      return "The server did not answer within 10 s.";
    }
    var text = Optional.ofNullable(status.getDescription()).orElse(status.getCode().name());
    var sentence =
        FIRST_WORD.matcher(text).lookingAt()
            ? Character.toUpperCase(text.charAt(0)) + text.substring(1)
            : text;
    return sentence.endsWith(".") ? sentence : sentence + ".";
  }
}
