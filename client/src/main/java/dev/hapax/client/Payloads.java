package dev.hapax.client;

import com.google.protobuf.ByteString;
import dev.hapax.v1.Payload;
import org.jspecify.annotations.Nullable;

/** Converts values to payloads of messages, and back. */
final class Payloads {

  /** What a payload may have. */
  static final int MAX_BYTES = 256 * 1024;

  /** Stands for a value that could not be kept. */
  static final Payload NOT_RETAINED = json("{\"@type\":\"hapax.dev/result-not-retained\"}");

  static final Payload NULL = json("null");

  private Payloads() {}

  static Payload json(String text) {
    return Payload.newBuilder().setJson(text).build();
  }

  static @Nullable Payload of(@Nullable Value value) {
    if (value == null) {
      return null;
    }
    return value instanceof Value.Json json
        ? json(json.text())
        : Payload.newBuilder()
            .setBinary(ByteString.copyFrom(((Value.Bytes) value).content()))
            .build();
  }

  static Value value(Payload payload) {
    return switch (payload.getContentCase()) {
      case JSON -> new Value.Json(payload.getJson());
      case BINARY -> new Value.Bytes(payload.getBinary().toByteArray());
      case CONTENT_NOT_SET ->
          throw new IllegalArgumentException(
              "Hapax sent a payload whose content this client does not know; upgrade it");
    };
  }

  static int bytes(@Nullable Payload payload) {
    return payload == null ? 0 : payload.getBinary().size() + payload.getJsonBytes().size();
  }
}
