package dev.hapax.bootstrap.kit;

import com.google.protobuf.Struct;
import dev.hapax.client.Hapax;
import dev.hapax.client.HapaxException;
import dev.hapax.client.Json;
import dev.hapax.client.Value;
import dev.hapax.client.internal.Backoff;
import dev.hapax.client.internal.ErrorStatus;
import dev.hapax.client.internal.Fingerprints;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.Error;
import dev.hapax.v1.ErrorReason;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
      case "server" -> server(KitJson.text(vector, "server"));
      case "pause" -> pause(vector);
      case "error" -> KitJson.quoted(JavaContract.kind(exception(status(vector))));
      default -> throw new IllegalArgumentException("unknown function " + function);
    };
  }

  private static String fingerprint(Struct vector) {
    if (vector.containsFields("base64")) {
      return fingerprint(Base64.getDecoder().decode(KitJson.text(vector, "base64")));
    }
    return vector.containsFields("json")
        ? fingerprint(new Value.Json(KitJson.text(vector, "json")))
        : KitJson.quoted("");
  }

  private static String fingerprint(Object input) {
    try {
      return KitJson.quoted(HexFormat.of().formatHex(Fingerprints.of(input, Json.detect())));
    } catch (IllegalArgumentException _) {
      return "null";
    }
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

  private static String server(String server) {
    return isValid(
        () -> {
          Hapax.builder(Map.of()).server(server).connect().close();
          return server;
        });
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

  /** What the caller of a call gets that fails with this status. */
  private static HapaxException exception(StatusRuntimeException status) {
    try (var client =
        Hapax.builder(Map.of())
            .channel(new FailingChannel(status))
            .streams(false)
            .callTimeout(Duration.ofNanos(1))
            .connect()) {
      throw new AssertionError(client.serverInfo());
    } catch (HapaxException failed) {
      return failed;
    }
  }

  /** A channel whose calls fail with this status. */
  private static final class FailingChannel extends Channel {
    private final StatusRuntimeException failure;

    FailingChannel(StatusRuntimeException failure) {
      this.failure = failure;
    }

    @Override
    public String authority() {
      return "vectors";
    }

    @Override
    public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
      return new ClientCall<>() {
        @Override
        public void start(Listener<R> listener, Metadata headers) {
          var trailers = failure.getTrailers();
          listener.onClose(failure.getStatus(), trailers == null ? new Metadata() : trailers);
        }

        @Override
        public void request(int messages) {}

        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {}

        @Override
        public void halfClose() {}

        @Override
        public void sendMessage(Q message) {}
      };
    }
  }
}
