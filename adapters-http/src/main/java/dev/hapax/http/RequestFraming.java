package dev.hapax.http;

import static io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames.HOST;
import static io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames.TRANSFER_ENCODING;
import static io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderValues.CHUNKED;

import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpVersion;
import io.grpc.netty.shaded.io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.grpc.netty.shaded.io.netty.handler.codec.http.TooLongHttpLineException;
import java.util.Locale;
import java.util.Optional;

/**
 * Where a request begins and ends. One that a proxy may read otherwise is refused, and its
 * connection closed: the rest of it could be taken for the request of another client.
 */
final class RequestFraming {
  private static final int BAD_REQUEST = 400;
  private static final int LINE_TOO_LONG = 414;
  private static final int HEADERS_TOO_LARGE = 431;
  private static final int VERSION_NOT_SUPPORTED = 505;

  private RequestFraming() {}

  /** Refuses a request that is not HTTP/1.1, or HTTP/1.0. */
  static void require(HttpRequest request) throws RefusedRequestException {
    var refusal = refusal(request);
    if (refusal.isPresent()) {
      throw refusal.get();
    }
  }

  /** Whether the next request of the connection begins where this server believes. */
  static boolean isClear(HttpRequest request) {
    return refusal(request).isEmpty();
  }

  private static Optional<RefusedRequestException> refusal(HttpRequest request) {
    var version = request.protocolVersion();
    var hosts = request.headers().getAll(HOST).size();
    if (request.decoderResult().isFailure()) {
      return Optional.of(unreadable(request.decoderResult().cause()));
    }
    if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
      return refused(
          VERSION_NOT_SUPPORTED,
          "this port serves HTTP/1.1 (was %s); call gRPC at the port of --listen"
              .formatted(version.text()));
    }
    if (!isEncodingKnown(request)) {
      return refused(BAD_REQUEST, "Transfer-Encoding must be chunked, or absent");
    }
    if (hosts > 1 || (hosts == 0 && version.equals(HttpVersion.HTTP_1_1))) {
      return refused(
          BAD_REQUEST,
          String.format(Locale.ROOT, "the header Host must be there once (was %d times)", hosts));
    }
    return Optional.empty();
  }

  private static RefusedRequestException unreadable(Throwable cause) {
    return switch (cause) {
      case TooLongHttpLineException _ -> refusal(LINE_TOO_LONG, "the address is too long");
      case TooLongHttpHeaderException _ ->
          refusal(HEADERS_TOO_LARGE, "the headers have too many bytes");
      default -> refusal(BAD_REQUEST, "the request is not HTTP/1.1");
    };
  }

  private static boolean isEncodingKnown(HttpRequest request) {
    var encodings = request.headers().getAll(TRANSFER_ENCODING);
    return encodings.isEmpty()
        || (encodings.size() == 1 && CHUNKED.contentEqualsIgnoreCase(encodings.getFirst()));
  }

  private static Optional<RefusedRequestException> refused(int status, String problem) {
    return Optional.of(refusal(status, problem));
  }

  private static RefusedRequestException refusal(int status, String problem) {
    return new RefusedRequestException(
        status, new ConnectError(ConnectCode.INVALID_ARGUMENT, problem));
  }
}
