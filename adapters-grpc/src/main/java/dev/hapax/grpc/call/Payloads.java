package dev.hapax.grpc.call;

import com.google.protobuf.ByteString;
import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.json.Json;
import java.util.Locale;
import java.util.Optional;

/** Decodes and encodes payloads and failures. */
public final class Payloads {
  private Payloads() {}

  public static Optional<Payload> read(String field, boolean isSet, dev.hapax.v1.Payload sent) {
    return isSet ? Optional.of(read(field, sent)) : Optional.empty();
  }

  private static Payload read(String field, dev.hapax.v1.Payload sent) {
    return switch (sent.getContentCase()) {
      case JSON -> {
        requireSize(field + ".json", sent.getJsonBytes().size());
        yield new Payload.Json(FieldReader.read(field + ".json", sent.getJson(), JsonText::check));
      }
      case BINARY -> {
        requireSize(field + ".binary", sent.getBinary().size());
        yield new Payload.Binary(sent.getBinary().toByteArray());
      }
      case CONTENT_NOT_SET ->
          throw new InvalidFieldException(
              field, "must have json or binary; leave it unset for void");
    };
  }

  /** Decodes a payload that must be a JSON object. */
  public static Optional<Json.Obj> readObject(
      String field, boolean isSet, dev.hapax.v1.Payload sent) {
    if (!isSet) {
      return Optional.empty();
    }
    if (!sent.hasJson()) {
      throw new InvalidFieldException(field, "must have json");
    }
    requireSize(field + ".json", sent.getJsonBytes().size());
    return Optional.of(FieldReader.read(field + ".json", sent.getJson(), JsonText::object));
  }

  public static dev.hapax.v1.Payload encode(Json json) {
    return dev.hapax.v1.Payload.newBuilder().setJson(JsonText.print(json)).build();
  }

  private static void requireSize(String field, int bytes) {
    if (bytes > Payload.MAX_BYTES) {
      throw new InvalidFieldException(
          field,
          String.format(
              Locale.ROOT, "has %d bytes; at most %d are allowed", bytes, Payload.MAX_BYTES));
    }
  }

  public static Optional<Failure> read(String field, boolean isSet, dev.hapax.v1.Failure sent) {
    if (!isSet) {
      return Optional.empty();
    }
    return Optional.of(
        new Failure(
            FieldReader.name(field + ".code", sent.getCode()),
            FieldReader.read(field + ".message", sent.getMessage(), Failure::requireMessage),
            read(field + ".details", sent.hasDetails(), sent.getDetails())));
  }

  public static dev.hapax.v1.Payload encode(Payload payload) {
    var message = dev.hapax.v1.Payload.newBuilder();
    return switch (payload) {
      case Payload.Json json -> message.setJson(json.text()).build();
      case Payload.Binary binary -> message.setBinary(ByteString.copyFrom(binary.bytes())).build();
    };
  }

  public static dev.hapax.v1.Failure encode(Failure failure) {
    var message =
        dev.hapax.v1.Failure.newBuilder().setCode(failure.code()).setMessage(failure.message());
    failure.details().ifPresent(details -> message.setDetails(encode(details)));
    return message.build();
  }
}
