package dev.hapax.http;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** How the messages of a call are written. */
enum BodyCodec {
  JSON("application/json", "application/connect+json"),
  PROTO("application/proto", "application/connect+proto");

  private final String messageType;
  private final String streamType;

  BodyCodec(String messageType, String streamType) {
    this.messageType = messageType;
    this.streamType = streamType;
  }

  /** The codec of a request with this header; empty = none of them. */
  static Optional<BodyCodec> of(String header, boolean isStream) {
    var parameters = header.indexOf(';');
    var type = (parameters < 0 ? header : header.substring(0, parameters)).strip();
    return Stream.of(values())
        .filter(codec -> codec.contentType(isStream).equals(type.toLowerCase(Locale.ROOT)))
        .findFirst();
  }

  /** The type of a body with one message, or with those of a stream. */
  String contentType(boolean isStream) {
    return isStream ? streamType : messageType;
  }

  /** The types of all codecs. */
  static List<String> contentTypes(boolean isStream) {
    return Stream.of(values()).map(codec -> codec.contentType(isStream)).toList();
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
