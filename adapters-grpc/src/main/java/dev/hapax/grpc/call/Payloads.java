package dev.hapax.grpc.call;

import com.google.protobuf.ByteString;
import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.json.Json;
import java.util.Optional;

/** Decodes and encodes payloads and failures. */
public final class Payloads {
  private Payloads() {}

  public static Optional<Payload> decode(boolean isSet, dev.hapax.v1.Payload sent) {
    return isSet ? Optional.of(decode(sent)) : Optional.empty();
  }

  private static Payload decode(dev.hapax.v1.Payload sent) {
    return switch (sent.getContentCase()) {
      case JSON -> new Payload.Json(sent.getJson());
      case BINARY -> new Payload.Binary(sent.getBinary().toByteArray());
      case CONTENT_NOT_SET -> throw new IllegalStateException("rejected before");
    };
  }

  /** Decodes a payload that must be a JSON object. */
  public static Optional<Json.Obj> object(String field, boolean isSet, dev.hapax.v1.Payload sent) {
    if (!isSet) {
      return Optional.empty();
    }
    if (!sent.hasJson()) {
      throw new InvalidFieldException(field, "must have json");
    }
    return Optional.of(FieldReader.read(field + ".json", sent.getJson(), JsonText::object));
  }

  public static dev.hapax.v1.Payload encode(Json json) {
    return dev.hapax.v1.Payload.newBuilder().setJson(JsonText.print(json)).build();
  }

  public static Optional<Failure> decode(boolean isSet, dev.hapax.v1.Failure sent) {
    return isSet
        ? Optional.of(
            new Failure(
                sent.getCode(),
                sent.getMessage(),
                decode(sent.hasDetails(), sent.getDetails()),
                sent.getPart(),
                sent.getStack()))
        : Optional.empty();
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
        dev.hapax.v1.Failure.newBuilder()
            .setCode(failure.code())
            .setMessage(failure.message())
            .setPart(failure.part())
            .setStack(failure.stack());
    failure.details().ifPresent(details -> message.setDetails(encode(details)));
    return message.build();
  }
}
