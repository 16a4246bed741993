package dev.hapax.client.internal;

import com.google.protobuf.ByteString;
import dev.hapax.client.WorkFailure;
import dev.hapax.v1.Failure;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.Payload;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Converts failures to what Hapax stores, cut to its limits, so that no failure is lost over its
 * text.
 */
public final class FailureText {

  public static final Metadata.Key<byte[]> STATUS_DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private static final int CODE_CHARACTERS = 255;
  private static final int MESSAGE_BYTES = 4 * 1024;
  private static final int STACK_BYTES = 16 * 1024;
  private static final int DETAIL_BYTES = 64 * 1024;

  private FailureText() {}

  /** The failure of an exception. A gRPC status keeps its details. */
  public static Failure of(Throwable thrown) {
    if (thrown instanceof WorkFailure declared) {
      return declared.getCause() instanceof StatusRuntimeException response
              && response.getStatus().getCode().name().equals(declared.code())
          ? of(response)
          : describe(declared.code(), declared.getMessage());
    }
    if (thrown instanceof StatusRuntimeException response) {
      return of(response);
    }
    return describe(thrown.getClass().getName(), thrown.getMessage());
  }

  public static FailureKind kind(dev.hapax.client.FailureKind kind) {
    return switch (kind) {
      case RETRYABLE -> FailureKind.FAILURE_KIND_RETRYABLE;
      case FINAL -> FailureKind.FAILURE_KIND_FINAL;
      case UNKNOWN_EFFECT -> FailureKind.FAILURE_KIND_UNKNOWN_EFFECT;
    };
  }

  private static Failure of(StatusRuntimeException response) {
    Failure failure =
        describe(response.getStatus().getCode().name(), response.getStatus().getDescription());
    Metadata trailers = response.getTrailers();
    byte[] details = trailers == null ? null : trailers.get(STATUS_DETAILS);
    if (details == null || details.length > DETAIL_BYTES) {
      return failure;
    }
    return failure.toBuilder()
        .setDetails(Payload.newBuilder().setBinary(ByteString.copyFrom(details)))
        .build();
  }

  public static Failure describe(String code, @Nullable String message) {
    String text = code.isBlank() ? "FAILED" : clean(code);
    return Failure.newBuilder()
        .setCode(text.substring(0, Math.min(CODE_CHARACTERS, text.length())))
        .setMessage(message(message))
        .build();
  }

  /** The failure with the stack trace of an exception, cut to 16 KiB. */
  public static Failure withStack(Failure failure, Throwable thrown) {
    StringWriter stack = new StringWriter();
    thrown.printStackTrace(new PrintWriter(stack));
    return failure.toBuilder().setStack(cut(clean(stack.toString()), STACK_BYTES)).build();
  }

  /** Text for people, cut to 4 KiB. */
  public static String message(@Nullable String text) {
    return text == null ? "" : cut(clean(text), MESSAGE_BYTES);
  }

  private static String cut(String text, int mostBytes) {
    int bytes = 0;
    for (int i = 0; i < text.length(); ) {
      int character = text.codePointAt(i);
      bytes += character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
      if (bytes > mostBytes) {
        return text.substring(0, i);
      }
      i += Character.charCount(character);
    }
    return text;
  }

  /** Replaces what PostgreSQL or protobuf rejects: control characters, lone surrogates. */
  private static String clean(String text) {
    String paired = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    return paired.replaceAll("[\\p{Cntrl}&&[^\n\t]]", " ");
  }
}
