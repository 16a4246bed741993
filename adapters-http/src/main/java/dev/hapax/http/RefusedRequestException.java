package dev.hapax.http;

/** A request that is answered before it becomes a call. */
final class RefusedRequestException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient HttpAnswer answer;

  RefusedRequestException(HttpAnswer answer) {
    // a caller's mistake has no stack trace
    super("the request is answered with " + answer.status(), null, false, false);
    this.answer = answer;
  }

  static RefusedRequestException of(ConnectCode code, String message) {
    return new RefusedRequestException(HttpAnswer.of(new ConnectError(code, message)));
  }

  static RefusedRequestException unreadable(String message) {
    return new RefusedRequestException(HttpAnswer.of(ConnectError.unreadable(message)));
  }

  HttpAnswer answer() {
    return answer;
  }
}
