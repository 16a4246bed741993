package dev.hapax.http;

import com.google.protobuf.ByteString;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpMethod;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The web pages that may call. A browser says from which origin a page is, so no other page can
 * call a server on the machine of its reader.
 *
 * @param allowed such as {@code https://app.example.com}
 */
record Origins(Set<String> allowed) {
  private static final int OK = 200;
  private static final int FORBIDDEN = 403;

  /** The further headers that a page may send. */
  private static final String REQUEST_HEADERS =
      "Authorization, Content-Type, Connect-Protocol-Version, Connect-Timeout-Ms, Hapax-Strict,"
          + " X-User-Agent, traceparent";

  private static final String SECONDS_TO_KEEP = "7200";

  Origins {
    allowed = Set.copyOf(allowed);
  }

  /** Refuses calls of other pages. */
  void require(HttpRequest request) throws RefusedRequestException {
    var origin = request.headers().get(HttpHeaderNames.ORIGIN);
    if (origin != null && !allowed.contains(origin)) {
      throw refused(
          "calls from web pages (header Origin) are refused, but for the origins of"
              + " --http-origins; call from a server, or add the origin there");
    }
  }

  private static RefusedRequestException refused(String message) {
    return new RefusedRequestException(
        FORBIDDEN, new ConnectError(ConnectCode.PERMISSION_DENIED, message));
  }

  /** The answer to a browser that asks whether a page may call. */
  Optional<HttpAnswer> preflight(HttpRequest request) {
    return request.method().equals(HttpMethod.OPTIONS)
            && request.headers().contains(HttpHeaderNames.ORIGIN)
            && request.headers().contains(HttpHeaderNames.ACCESS_CONTROL_REQUEST_METHOD)
        ? Optional.of(
            new HttpAnswer(
                OK,
                BodyCodec.JSON.contentType(false),
                Map.of(
                    "Access-Control-Allow-Methods",
                    "GET, POST",
                    "Access-Control-Allow-Headers",
                    REQUEST_HEADERS,
                    "Access-Control-Max-Age",
                    SECONDS_TO_KEEP),
                ByteString.EMPTY))
        : Optional.empty();
  }

  /** The headers of every answer, which let a page read it. */
  Map<String, String> headers(HttpRequest request) {
    var headers = new TreeMap<String, String>();
    if (!allowed.isEmpty()) {
      headers.put("Vary", "Origin");
    }
    var origin = request.headers().get(HttpHeaderNames.ORIGIN);
    if (origin != null && allowed.contains(origin)) {
      headers.put("Access-Control-Allow-Origin", origin);
      headers.put("Access-Control-Expose-Headers", "Retry-After, Trailer-Hapax-Reason");
    }
    return headers;
  }
}
