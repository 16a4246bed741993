package dev.hapax.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FailureTest {
  private static Failure failure(String code, String message) {
    return new Failure(code, message, Optional.empty());
  }

  @Test
  @DisplayName("the code is a name or empty; the message may be empty and have lines")
  void codeAndMessage() {
    assertThat(failure("card.declined", "").message()).isEmpty();
    assertThat(failure("c", "line 1\nline 2\t\u007f").message()).contains("\n");
    assertThat(failure("", "m").code()).isEmpty();
    assertThatThrownBy(() -> failure("a\nb", "m")).isInstanceOf(InvalidValueException.class);
  }

  @Test
  @DisplayName("the message has no U+0000 and no half of a surrogate pair: no database takes them")
  void unstorableMessages() {
    assertThatThrownBy(() -> failure("c", "a\0")).isInstanceOf(InvalidValueException.class);
    assertThatThrownBy(() -> failure("c", "a\uD83D")).isInstanceOf(InvalidValueException.class);
    assertThat(failure("c", "\uD83D\uDE00").message()).hasSize(2);
  }

  @Test
  @DisplayName("the message takes 4 KiB at most, counted in UTF-8")
  void messageLength() {
    assertThat(failure("c", "a".repeat(4_096)).message()).hasSize(4_096);
    assertThat(failure("c", "\u20ac".repeat(1_365)).message()).hasSize(1_365);
    assertThatThrownBy(() -> failure("c", "a".repeat(4_097)))
        .hasMessage("has 4097 bytes; at most 4096 are allowed");
    assertThatThrownBy(() -> failure("c", "\u20ac".repeat(1_366)))
        .isInstanceOf(InvalidValueException.class);
  }
}
