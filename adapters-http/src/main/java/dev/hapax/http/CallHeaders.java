package dev.hapax.http;

import com.sun.net.httpserver.Headers;
import io.grpc.CallOptions;
import io.grpc.Metadata;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The headers of a request that say how it is to be called.
 *
 * @param strict whether a field that the message does not have is an error
 * @param metadata the credentials of the caller, and nothing else
 */
record CallHeaders(BodyCodec codec, boolean strict, CallOptions options, Metadata metadata) {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final int FORBIDDEN = 403;
  private static final int UNSUPPORTED_TYPE = 415;

  /** Reads the headers, or refuses the request. */
  static CallHeaders read(Headers headers) throws RefusedRequestException {
    requireNoOrigin(headers);
    var codec = codec(headers);
    requireVersion(headers);
    requireNoCompression(headers);
    var strict = "1".equals(headers.getFirst("Hapax-Strict"));
    return new CallHeaders(codec, strict, options(headers), metadata(headers));
  }

  /** Browsers send it with each such request; without it a page could call a server on loopback. */
  private static void requireNoOrigin(Headers headers) throws RefusedRequestException {
    if (headers.containsKey("Origin")) {
      throw new RefusedRequestException(
          HttpAnswer.of(
              FORBIDDEN,
              new ConnectError(
                  ConnectCode.PERMISSION_DENIED,
                  "calls from web pages (header Origin) are not accepted; call from a server")));
    }
  }

  private static BodyCodec codec(Headers headers) throws RefusedRequestException {
    var type = headers.getFirst("Content-Type");
    var codec = type == null ? null : BodyCodec.of(type).orElse(null);
    if (codec == null) {
      throw new RefusedRequestException(
          HttpAnswer.of(
                  UNSUPPORTED_TYPE,
                  new ConnectError(
                      ConnectCode.UNKNOWN,
                      "Content-Type must be application/json or application/proto (was %s)"
                          .formatted(type == null ? "missing" : "another one")))
              .with("Accept-Post", "application/json, application/proto"));
    }
    return codec;
  }

  private static void requireVersion(Headers headers) throws RefusedRequestException {
    var version = headers.getFirst("Connect-Protocol-Version");
    if (version != null && !version.equals("1")) {
      throw RefusedRequestException.of(
          ConnectCode.INVALID_ARGUMENT, "Connect-Protocol-Version must be 1, or absent");
    }
  }

  private static void requireNoCompression(Headers headers) throws RefusedRequestException {
    var encoding = headers.getFirst("Content-Encoding");
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw RefusedRequestException.of(
          ConnectCode.UNIMPLEMENTED,
          "Content-Encoding must be identity, or absent; this server reads no compression");
    }
  }

  private static CallOptions options(Headers headers) throws RefusedRequestException {
    var timeout = headers.getFirst("Connect-Timeout-Ms");
    if (timeout == null) {
      return CallOptions.DEFAULT;
    }
    if (!timeout.matches("[0-9]{1,10}")) {
      throw RefusedRequestException.of(
          ConnectCode.INVALID_ARGUMENT,
          "Connect-Timeout-Ms must be a number of milliseconds with at most 10 digits");
    }
    return CallOptions.DEFAULT.withDeadlineAfter(Long.parseLong(timeout), TimeUnit.MILLISECONDS);
  }

  private static Metadata metadata(Headers headers) {
    var metadata = new Metadata();
    headers
        .getOrDefault("Authorization", List.of())
        .forEach(value -> metadata.put(AUTHORIZATION, value));
    return metadata;
  }
}
