package dev.hapax.domain.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.InvalidValueException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonPointerTest {
  private static final String JSON =
      """
      { "a" : "x", "é\\u0022/~" : [ 1.50 , {"b":true}, "[\\"{", null , -2e3 ] ,
        "" : {"":"empty"}, "n": null, "deep": {"a": {"a": "d\\n\\u00e4\\/"}}, "last": false }
      """;

  @ParameterizedTest
  @DisplayName("finds the text of strings, numbers and booleans")
  @CsvSource(
      quoteCharacter = '\'',
      value = {
        "/a, x",
        "/é\"~1~0/0, 1.50",
        "/é\"~1~0/1/b, true",
        "/é\"~1~0/2, '[\"{'",
        "/é\"~1~0/4, -2e3",
        "//, empty",
        "/deep/a/a, 'd\nä/'",
        "/last, false"
      })
  void found(String pointer, String text) {
    assertThat(new JsonPointer(pointer).scalarIn(JSON)).contains(text);
  }

  @ParameterizedTest
  @DisplayName("finds nothing else")
  @ValueSource(
      strings = {"", "/b", "/n", "/deep", "/a/b", "/é\"~1~0/5", "/é\"~1~0/3", "/é\"~1~0/01", "/-"})
  void absent(String pointer) {
    assertThat(new JsonPointer(pointer).scalarIn(JSON)).isEmpty();
    assertThat(new JsonPointer("").scalarIn("7")).contains("7");
  }

  @ParameterizedTest
  @DisplayName("rejects what is no pointer")
  @ValueSource(strings = {"a", "/a~", "/~2", "$.a"})
  void invalid(String pointer) {
    assertThatThrownBy(() -> new JsonPointer(pointer)).isInstanceOf(InvalidValueException.class);
  }
}
