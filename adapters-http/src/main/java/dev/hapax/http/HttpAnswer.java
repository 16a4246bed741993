package dev.hapax.http;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * The answer of a request that is sent at once.
 *
 * @param contentType empty = none, or one of the headers
 * @param headers beside the type of the body, or with it
 */
record HttpAnswer(int status, String contentType, Map<String, String> headers, ByteString body) {
  private static final int OK = 200;

  HttpAnswer {
    headers = Map.copyOf(headers);
  }

  /** The answer of a call that succeeded. */
  static HttpAnswer ok(BodyCodec codec, ByteString body) {
    return new HttpAnswer(OK, codec.contentType(false), Map.of(), body);
  }

  /** A page has the type of its body among its headers. */
  static HttpAnswer of(WebResponse page) {
    return new HttpAnswer(page.status(), "", page.headers(), page.body());
  }

  /** The answer of a call that failed. */
  static HttpAnswer of(ConnectError error) {
    return of(error.code().httpStatus(), error);
  }

  /** An error with another status than that of its code. */
  static HttpAnswer of(int status, ConnectError error) {
    var headers = new TreeMap<String, String>();
    error.retryAfter().ifPresent(after -> headers.put("Retry-After", "" + seconds(after)));
    error.trailers().forEach((name, value) -> headers.put("trailer-" + name, value));
    return new HttpAnswer(status, BodyCodec.JSON.contentType(false), headers, error.body());
  }

  /** The answer of a stream that failed at once, whose client reads the error in its end alone. */
  HttpAnswer inStream(BodyCodec codec, ConnectError error) {
    return new HttpAnswer(OK, codec.contentType(true), headers, Envelope.end(error.end()));
  }

  /** The header has whole seconds. */
  private static long seconds(Duration after) {
    return Math.max(1, after.getSeconds() + (after.getNanos() > 0 ? 1 : 0));
  }

  HttpAnswer with(String header, String value) {
    var more = new TreeMap<>(headers);
    more.put(header, value);
    return new HttpAnswer(status, contentType, more, body);
  }
}
