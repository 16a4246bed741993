package dev.hapax.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextTest {
  private static final String EMOJI = "\uD83D\uDE00";

  @Test
  @DisplayName("255 characters are a name, 256 are not, however many bytes they take")
  void lengthInCharacters() {
    for (var character : new String[] {"a", "ü", "\u20ac", EMOJI}) {
      assertThat(Text.name(character.repeat(255))).hasSize(255 * character.length());
      assertThatThrownBy(() -> Text.name(character.repeat(256)))
          .isInstanceOf(InvalidValueException.class)
          .hasMessage("has 256 characters; at most 255 are allowed");
    }
  }

  @ParameterizedTest
  @DisplayName("a control character is rejected with its position")
  @ValueSource(chars = {'\0', '\t', '\n', '\u001f', '\u007f', '\u0080', '\u009f'})
  void controlCharacters(char control) {
    assertThatThrownBy(() -> Text.name("ab" + control))
        .isInstanceOf(InvalidValueException.class)
        .hasMessage("has the control character U+%04X at position 2", (int) control);
  }

  @ParameterizedTest
  @DisplayName("an unpaired surrogate is rejected at any position")
  @ValueSource(strings = {"\uD83D", "\uDE00", "a\uD83D", "\uDE00\uD83D", "\uD83Db", "\uD83D\uD83D"})
  void unpairedSurrogates(String text) {
    assertThatThrownBy(() -> Text.name(text))
        .isInstanceOf(InvalidValueException.class)
        .hasMessageStartingWith("has an unpaired surrogate at position ");
  }

  @ParameterizedTest
  @DisplayName("any other text is a name as it is")
  @ValueSource(strings = {"", " ", "a b", "\u00a0", "\u200b", "' OR 1=1 --", "%_\\", EMOJI + "x"})
  void otherText(String text) {
    assertThat(Text.name(text)).isSameAs(text);
  }

  @Test
  @DisplayName("a required name is not empty")
  void required() {
    assertThat(Text.requiredName("a")).isEqualTo("a");
    assertThatThrownBy(() -> Text.requiredName(""))
        .isInstanceOf(InvalidValueException.class)
        .hasMessage("is required");
  }

  @Test
  @DisplayName("a short name has at most 255 bytes, however few characters they are")
  void shortName() {
    var most = "\u20ac".repeat(85);
    assertThat(Text.requiredShortName(most)).isEqualTo(most);
    assertThatThrownBy(() -> Text.requiredShortName(most + 'a'))
        .isInstanceOf(InvalidValueException.class)
        .hasMessage("has 256 bytes; at most 255 are allowed");
    assertThatThrownBy(() -> Text.requiredShortName(""))
        .isInstanceOf(InvalidValueException.class)
        .hasMessage("is required");
  }
}
