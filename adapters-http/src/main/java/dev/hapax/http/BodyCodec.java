package dev.hapax.http;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** How the messages of a call are written. */
enum BodyCodec {
  JSON("application/json"),
  PROTO("application/proto");

  private final String contentType;

  BodyCodec(String contentType) {
    this.contentType = contentType;
  }

  /** The codec of a request with this header; empty = none of them. */
  static Optional<BodyCodec> of(String header) {
    var parameters = header.indexOf(';');
    var type = (parameters < 0 ? header : header.substring(0, parameters)).strip();
    return Stream.of(values())
        .filter(codec -> codec.contentType.equals(type.toLowerCase(Locale.ROOT)))
        .findFirst();
  }

  String contentType() {
    return contentType;
  }

  /**
   * Returns the protobuf bytes of a request.
   *
   * @param strict whether a field that the message does not have is an error
   */
  byte[] read(byte[] body, Message prototype, boolean strict) throws RefusedRequestException {
    return switch (this) {
      case JSON -> JsonMessages.parse(body, prototype, strict).toByteArray();
      // the gRPC server reads them, and names the field that it cannot read
      case PROTO -> body;
    };
  }

  ByteString write(Message message) {
    return switch (this) {
      case JSON -> ByteString.copyFromUtf8(JsonMessages.print(message));
      case PROTO -> message.toByteString();
    };
  }
}
