package dev.hapax.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.v1.Failure;
import io.grpc.Metadata;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts of callers, and what of them can be stored. */
class FailureTextTest {

  @ParameterizedTest
  @DisplayName(
      "given a key that cannot be stored, when a request is built, then it is "
          + "rejected without printing the key [X4]")
  @ValueSource(strings = {"\0", "a\nb", "\uD800", "a\uDC00b", "\u0085"})
  void refusesBadKeys(String key) {
    assertThatThrownBy(() -> KeyText.required("requestId", key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("requestId")
        .hasMessageNotContaining(key);
  }

  @Test
  @DisplayName("given the longest key, then it is accepted, and a longer or an empty one is not")
  void lengths() {
    assertThat(KeyText.required("requestId", "😀".repeat(255))).hasSize(510);
    assertThatThrownBy(() -> KeyText.required("requestId", "k".repeat(256)))
        .hasMessageContaining("255");
    assertThatThrownBy(() -> KeyText.required("operation", "")).hasMessageContaining("operation");
  }

  @Test
  @DisplayName("given a failure of any text, then it is cut to what can be stored")
  void failuresAreCut() {
    Failure failure = FailureText.of(new IllegalStateException("a\0b\uD800" + "é".repeat(10_000)));

    assertThat(failure.getCode()).isEqualTo("java.lang.IllegalStateException");
    assertThat(failure.getMessage()).startsWith("a b?é");
    assertThat(failure.getMessage().getBytes(StandardCharsets.UTF_8).length).isBetween(4095, 4096);
    assertThat(FailureText.describe(" ", null).getCode()).isEqualTo("FAILED");
  }

  @Test
  @DisplayName("given a gRPC status, then the failure keeps its details")
  void failuresKeepDetails() {
    Metadata trailers = new Metadata();
    trailers.put(FailureText.STATUS_DETAILS, new byte[] {8, 5});

    Failure failure = FailureText.of(Status.NOT_FOUND.asRuntimeException(trailers));

    assertThat(failure.getCode()).isEqualTo("NOT_FOUND");
    assertThat(failure.getMessage()).isEmpty();
    assertThat(failure.getDetails().getBinary().toByteArray()).containsExactly(8, 5);
  }
}
