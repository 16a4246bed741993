package dev.hapax.bootstrap.kit;

import com.google.protobuf.ByteString;
import com.google.protobuf.Struct;
import dev.hapax.client.Fingerprint;
import dev.hapax.client.internal.Backoff;
import dev.hapax.client.internal.ErrorStatus;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.v1.Error;
import dev.hapax.v1.ErrorReason;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The values that the Java client computes for vectors. */
final class JavaVectors {
  private JavaVectors() {}

  static String values(Path file) throws IOException {
    var content = KitJson.parse(Files.readString(file));
    var function = KitJson.text(content, "function");
    return content.getFieldsOrThrow("vectors").getListValue().getValuesList().stream()
        .map(vector -> value(function, vector.getStructValue()))
        .collect(Collectors.joining(", ", "[", "]"));
  }

  private static String value(String function, Struct vector) {
    return switch (function) {
      case "fingerprint" -> fingerprint(vector);
      case "name" -> isValid(() -> KeyText.check("text", KitJson.text(vector, "text")));
      case "part_name" -> isValid(() -> KeyText.part("name", KitJson.text(vector, "name")));
      case "header_key" -> headerKey(Base64.getDecoder().decode(KitJson.text(vector, "base64")));
      case "pause" -> pause(vector);
      case "error" -> KitJson.quoted(JavaContract.kind(UnaryCalls.toException(status(vector))));
      default -> throw new IllegalArgumentException("unknown function " + function);
    };
  }

  /** The Java client takes bytes: of JSON, those that its caller has made canonical. */
  private static String fingerprint(Struct vector) {
    if (vector.containsFields("base64")) {
      return hex(
          Fingerprint.of(Base64.getDecoder().decode(KitJson.text(vector, "base64"))).bytes());
    }
    if (!vector.containsFields("json")) {
      return hex(Fingerprint.NONE.bytes());
    }
    return vector.containsFields("canonical")
        ? hex(
            Fingerprint.of(KitJson.text(vector, "canonical").getBytes(StandardCharsets.UTF_8))
                .bytes())
        : "null";
  }

  private static String hex(ByteString bytes) {
    return KitJson.quoted(HexFormat.of().formatHex(bytes.toByteArray()));
  }

  private static String isValid(Supplier<String> check) {
    try {
      var _ = check.get();
      return "true";
    } catch (IllegalArgumentException _) {
      return "false";
    }
  }

  /** As gRPC decodes metadata. */
  private static String headerKey(byte[] bytes) {
    return isValid(() -> KeyText.header("key", new String(bytes, StandardCharsets.US_ASCII)));
  }

  private static String pause(Struct vector) {
    var retry = (int) vector.getFieldsOrThrow("retry").getNumberValue();
    var pause =
        vector.getFieldsOrThrow("holder").getBoolValue()
            ? Backoff.pauseOfHolder(status(vector), retry)
            : Backoff.pause(status(vector), retry);
    return pause.map(each -> String.valueOf(each.toNanos() / 1e6)).orElse("null");
  }

  private static StatusRuntimeException status(Struct vector) {
    var error =
        Error.newBuilder()
            .setCode(Status.Code.valueOf(KitJson.text(vector, "code")).value())
            .setMessage("as the vector says");
    var reason = KitJson.text(vector, "reason");
    if (!reason.isEmpty()) {
      error.setReason(ErrorReason.valueOf("ERROR_REASON_" + reason));
    }
    var advised = KitJson.text(vector, "advised_ms");
    if (!advised.isEmpty()) {
      error.setRetryAfter(ProtoTimes.toProto(Duration.ofMillis(Long.parseLong(advised))));
    }
    return ErrorStatus.of(error.build());
  }
}
