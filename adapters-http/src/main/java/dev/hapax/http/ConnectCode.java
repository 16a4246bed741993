package dev.hapax.http;

import io.grpc.Status;
import java.util.Locale;

/** An error code of the Connect protocol, and the HTTP status that goes with it. */
enum ConnectCode {
  CANCELED(499),
  UNKNOWN(500),
  INVALID_ARGUMENT(400),
  DEADLINE_EXCEEDED(504),
  NOT_FOUND(404),
  ALREADY_EXISTS(409),
  PERMISSION_DENIED(403),
  RESOURCE_EXHAUSTED(429),
  FAILED_PRECONDITION(400),
  ABORTED(409),
  OUT_OF_RANGE(400),
  UNIMPLEMENTED(501),
  INTERNAL(500),
  UNAVAILABLE(503),
  DATA_LOSS(500),
  UNAUTHENTICATED(401);

  private final int httpStatus;

  ConnectCode(int httpStatus) {
    this.httpStatus = httpStatus;
  }

  /** The code of a gRPC status that is an error. */
  static ConnectCode of(Status.Code code) {
    return switch (code) {
      case OK -> throw new IllegalArgumentException("OK is no error");
      case CANCELLED -> CANCELED;
      case UNKNOWN -> UNKNOWN;
      case INVALID_ARGUMENT -> INVALID_ARGUMENT;
      case DEADLINE_EXCEEDED -> DEADLINE_EXCEEDED;
      case NOT_FOUND -> NOT_FOUND;
      case ALREADY_EXISTS -> ALREADY_EXISTS;
      case PERMISSION_DENIED -> PERMISSION_DENIED;
      case RESOURCE_EXHAUSTED -> RESOURCE_EXHAUSTED;
      case FAILED_PRECONDITION -> FAILED_PRECONDITION;
      case ABORTED -> ABORTED;
      case OUT_OF_RANGE -> OUT_OF_RANGE;
      case UNIMPLEMENTED -> UNIMPLEMENTED;
      case INTERNAL -> INTERNAL;
      case UNAVAILABLE -> UNAVAILABLE;
      case DATA_LOSS -> DATA_LOSS;
      case UNAUTHENTICATED -> UNAUTHENTICATED;
    };
  }

  int httpStatus() {
    return httpStatus;
  }

  /** The name in the JSON of an error, such as {@code not_found}. */
  String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
