package dev.hapax.http;

import io.grpc.CallOptions;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaders;
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
  static CallHeaders read(HttpHeaders headers, boolean isStream) throws RefusedRequestException {
    requireNoOrigin(headers);
    var codec = codec(headers, isStream);
    requireVersion(headers);
    requireNoCompression(headers);
    var strict = "1".equals(headers.get("Hapax-Strict"));
    return new CallHeaders(codec, strict, options(headers), metadata(headers));
  }

  /** Browsers send it with each such request; without it a page could call a server on loopback. */
  private static void requireNoOrigin(HttpHeaders headers) throws RefusedRequestException {
    if (headers.contains("Origin")) {
      throw new RefusedRequestException(
          FORBIDDEN,
          new ConnectError(
              ConnectCode.PERMISSION_DENIED,
              "calls from web pages (header Origin) are not accepted; call from a server"));
    }
  }

  private static BodyCodec codec(HttpHeaders headers, boolean isStream)
      throws RefusedRequestException {
    var type = headers.get("Content-Type");
    var codec = type == null ? null : BodyCodec.of(type, isStream).orElse(null);
    if (codec == null) {
      var types = BodyCodec.contentTypes(isStream);
      throw new RefusedRequestException(
          UNSUPPORTED_TYPE,
          new ConnectError(
              ConnectCode.UNKNOWN,
              "Content-Type must be %s (was %s)"
                  .formatted(String.join(" or ", types), type == null ? "missing" : "another one")),
          "Accept-Post",
          String.join(", ", types));
    }
    return codec;
  }

  private static void requireVersion(HttpHeaders headers) throws RefusedRequestException {
    var version = headers.get("Connect-Protocol-Version");
    if (version != null && !version.equals("1")) {
      throw RefusedRequestException.of(
          ConnectCode.INVALID_ARGUMENT, "Connect-Protocol-Version must be 1, or absent");
    }
  }

  private static void requireNoCompression(HttpHeaders headers) throws RefusedRequestException {
    for (var name : List.of("Content-Encoding", "Connect-Content-Encoding")) {
      var encoding = headers.get(name);
      if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
        throw RefusedRequestException.of(
            ConnectCode.UNIMPLEMENTED,
            name + " must be identity, or absent; this server reads no compression");
      }
    }
  }

  private static CallOptions options(HttpHeaders headers) throws RefusedRequestException {
    var timeout = headers.get("Connect-Timeout-Ms");
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

  private static Metadata metadata(HttpHeaders headers) {
    var metadata = new Metadata();
    headers.getAll("Authorization").forEach(value -> metadata.put(AUTHORIZATION, value));
    return metadata;
  }
}
