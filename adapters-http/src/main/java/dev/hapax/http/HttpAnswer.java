package dev.hapax.http;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * The answer of a request that is sent at once.
 *
 * @param headers beside the type of the body
 */
record HttpAnswer(int status, String contentType, Map<String, String> headers, ByteString body) {
  HttpAnswer {
    headers = Map.copyOf(headers);
  }

  /** The answer of a call that succeeded. */
  static HttpAnswer ok(BodyCodec codec, ByteString body) {
    return new HttpAnswer(200, codec.contentType(false), Map.of(), body);
  }

  /** The answer of a call that failed. */
  static HttpAnswer of(ConnectError error) {
    return of(error.code().httpStatus(), error);
  }

  /** An error with another status than that of its code. */
  static HttpAnswer of(int status, ConnectError error) {
    var headers =
        error
            .retryAfter()
            .map(after -> Map.of("Retry-After", String.valueOf(seconds(after))))
            .orElse(Map.of());
    return new HttpAnswer(status, BodyCodec.JSON.contentType(false), headers, error.body());
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
