package dev.hapax.http;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * How a request is to be called.
 *
 * @param codec of the request and of its answer
 * @param strict whether a field that the message does not have is an error
 * @param metadata the credentials of the caller and its span, and nothing else
 * @param query the message of a GET, which has no body
 */
record CallHeaders(
    BodyCodec codec,
    boolean strict,
    CallOptions options,
    Metadata metadata,
    Optional<ByteString> query) {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> TRACEPARENT =
      Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);
  private static final int UNSUPPORTED_TYPE = 415;

  /** Reads the headers of a POST, or refuses the request. */
  static CallHeaders post(HttpHeaders headers, BodyCodec codec) throws RefusedRequestException {
    requireNoCompression(headers);
    return of(codec, headers, Optional.empty());
  }

  /** Reads the headers and the address of a GET, or refuses the request. */
  static CallHeaders get(HttpHeaders headers, RequestQuery query) throws RefusedRequestException {
    return of(query.codec(), headers, Optional.of(query.message()));
  }

  private static CallHeaders of(BodyCodec codec, HttpHeaders headers, Optional<ByteString> query)
      throws RefusedRequestException {
    requireVersion(headers);
    var strict = "1".equals(headers.get("Hapax-Strict"));
    return new CallHeaders(codec, strict, options(headers), metadata(headers), query);
  }

  /** How the body of a POST is written. */
  static BodyCodec codec(HttpHeaders headers, boolean isStream) throws RefusedRequestException {
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
    headers.getAll("traceparent").forEach(value -> metadata.put(TRACEPARENT, value));
    return metadata;
  }
}
