package dev.hapax.http;

import com.google.protobuf.ByteString;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpMethod;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Optional;

/** The OpenAPI document, as it is among the documents of this version. */
final class ApiDocument {
  static final String PATH = "/openapi.json";

  private ApiDocument() {}

  /** The answer to a request of the document; empty = the request is another one. */
  static Optional<HttpAnswer> answer(HttpRequest request) {
    return request.method().equals(HttpMethod.GET)
            && new RequestQuery(request.uri()).path().equals(PATH)
        ? Optional.of(HttpAnswer.ok(BodyCodec.JSON, Text.JSON))
        : Optional.empty();
  }

  /** Read with the first request. */
  private static final class Text {
    static final ByteString JSON = read();

    private static ByteString read() {
      try (var stream = ApiDocument.class.getResourceAsStream("openapi.json")) {
        return ByteString.readFrom(Objects.requireNonNull(stream));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
