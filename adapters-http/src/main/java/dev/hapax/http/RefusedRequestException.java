package dev.hapax.http;

/** A request that is refused before its method is called. */
final class RefusedRequestException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient HttpAnswer answer;
  private final transient ConnectError error;

  /** Refuses with another status than that of the error's code, and perhaps with a header. */
  RefusedRequestException(int status, ConnectError error, String... header) {
    this(answer(status, error, header), error);
  }

  private RefusedRequestException(HttpAnswer answer, ConnectError error) {
    // a caller's mistake has no stack trace
    super(error.message(), null, false, false);
    this.error = error;
    this.answer = answer;
  }

  private static HttpAnswer answer(int status, ConnectError error, String... header) {
    var plain = HttpAnswer.of(status, error);
    return header.length == 0 ? plain : plain.with(header[0], header[1]);
  }

  /** The same refusal of a stream, whose client reads no body with another status than 200. */
  RefusedRequestException inStream(BodyCodec codec) {
    return new RefusedRequestException(answer.inStream(codec, error), error);
  }

  static RefusedRequestException of(ConnectCode code, String message) {
    return of(new ConnectError(code, message));
  }

  static RefusedRequestException unreadable(String message) {
    return of(ConnectError.unreadable(message));
  }

  static RefusedRequestException invalid(String field, String rule) {
    return of(ConnectError.invalid(field, rule));
  }

  /** A request in which this server has a fault. */
  static RefusedRequestException unexpected() {
    return of(ConnectError.unexpected());
  }

  private static RefusedRequestException of(ConnectError error) {
    return new RefusedRequestException(error.code().httpStatus(), error);
  }

  HttpAnswer answer() {
    return answer;
  }

  /** The error alone, for a stream, which has begun with another status. */
  ConnectError error() {
    return error;
  }
}
