package dev.hapax.http;

import com.google.protobuf.ByteString;
import io.grpc.netty.shaded.io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** The address of a request: the path of its method, and of a GET its message. */
final class RequestQuery {
  private static final int MAX_PARAMETERS = 10;

  private final QueryStringDecoder address;

  RequestQuery(String uri) {
    // one character for each byte, so that percent signs can encode a binary message
    address =
        new QueryStringDecoder(
            withoutHost(uri), StandardCharsets.ISO_8859_1, true, MAX_PARAMETERS, true);
  }

  /** A proxy may be sent the whole address. */
  static String withoutHost(String uri) {
    return uri.startsWith("/") ? uri : uri.replaceFirst("^(?i)https?://[^/?]*", "");
  }

  String path() {
    return address.rawPath();
  }

  /** How the message of a GET is written. */
  BodyCodec codec() throws RefusedRequestException {
    requireValue("connect", List.of("v1"));
    requireValue("compression", List.of("identity"));
    var encoding = parameter("encoding").orElseThrow(() -> missing("encoding"));
    return switch (encoding) {
      case "json" -> BodyCodec.JSON;
      case "proto" -> BodyCodec.PROTO;
      default -> throw invalid("encoding", "json or proto");
    };
  }

  /** The message of a GET. */
  ByteString message() throws RefusedRequestException {
    requireValue("base64", List.of("1", "0"));
    var message = parameter("message").orElseThrow(() -> missing("message"));
    if (!parameter("base64").equals(Optional.of("1"))) {
      return ByteString.copyFrom(message, StandardCharsets.ISO_8859_1);
    }
    try {
      return ByteString.copyFrom(Base64.getUrlDecoder().decode(message));
    } catch (IllegalArgumentException _) {
      throw invalid("message", "base64 of the alphabet for URLs");
    }
  }

  private void requireValue(String name, List<String> values) throws RefusedRequestException {
    var value = parameter(name);
    if (value.isPresent() && !values.contains(value.get())) {
      throw invalid(name, String.join(" or ", values) + ", or absent");
    }
  }

  private Optional<String> parameter(String name) throws RefusedRequestException {
    try {
      var values = address.parameters().getOrDefault(name, List.of());
      if (values.size() > 1) {
        throw invalid(name, "one value");
      }
      return values.stream().findFirst();
    } catch (IllegalArgumentException _) {
      throw RefusedRequestException.of(
          ConnectCode.INVALID_ARGUMENT, "the address has a percent sign without two digits");
    }
  }

  private static RefusedRequestException missing(String name) {
    return RefusedRequestException.of(
        ConnectCode.INVALID_ARGUMENT,
        "a GET needs the parameters encoding and message; %s is missing".formatted(name));
  }

  private static RefusedRequestException invalid(String name, String rule) {
    return RefusedRequestException.of(
        ConnectCode.INVALID_ARGUMENT, "the parameter %s must be %s".formatted(name, rule));
  }
}
