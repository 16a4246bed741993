package dev.hapax.domain.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.InvalidValueException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FingerprintTest {
  @Test
  @DisplayName(
      "equal bytes have equal fingerprints, other bytes others, and empty bytes are "
          + "a value [I10]")
  void equality() {
    var empty = Fingerprint.of(new byte[0]);
    assertThat(empty)
        .isEqualTo(Fingerprint.of(new byte[0]))
        .isNotEqualTo(Fingerprint.of(new byte[1]));
    assertThat(Fingerprint.of(new byte[] {1, 2})).isNotEqualTo(Fingerprint.of(new byte[] {2, 1}));
  }

  @Test
  @DisplayName("1 KiB at most")
  void length() {
    assertThat(Fingerprint.of(new byte[1_024])).isNotNull();
    assertThatThrownBy(() -> Fingerprint.of(new byte[1_025]))
        .isInstanceOf(InvalidValueException.class)
        .hasMessage("has 1025 bytes; at most 1024 are allowed");
  }

  @Test
  @DisplayName("an attempt id is never empty: unrelated callers would share one attempt")
  void attemptId() {
    assertThat(AttemptId.of("a")).isEqualTo(AttemptId.of("a")).isNotEqualTo(AttemptId.of("b"));
    assertThatThrownBy(() -> AttemptId.of("")).isInstanceOf(InvalidValueException.class);
  }
}
