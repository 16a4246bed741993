package dev.hapax.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.InvalidValueException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JsonDocumentTest {
  @Test
  @DisplayName("given a parsed document, then every value has its line")
  void lines() {
    var document =
        JsonDocument.parse(
            """
            {
              "a": [1,
                {"b/~": true}],
              "c": null
            }
            """);
    assertThat(document.root()).isEqualTo(JsonText.object("{\"a\":[1,{\"b/~\":true}],\"c\":null}"));
    assertThat(document.lines())
        .containsEntry("", 1)
        .containsEntry("/a", 2)
        .containsEntry("/a/0", 2)
        .containsEntry("/a/1", 3)
        .containsEntry("/a/1/b~1~0", 3)
        .containsEntry("/c", 4)
        .hasSize(6);
    assertThat(document.duplicates()).isEmpty();
  }

  @Test
  @DisplayName("given duplicate members, then they are reported and the last one counts")
  void duplicates() {
    var document = JsonDocument.parse("{\"a\":1,\n\"b\":{\"a\":2,\n\"a\":3},\n\"a\":4}");
    assertThat(document.duplicates()).containsExactly("/b/a", "/a");
    assertThat(document.root()).isEqualTo(JsonText.object("{\"a\":4,\"b\":{\"a\":3}}"));
  }

  @Test
  @DisplayName("given malformed or deeply nested JSON, then the error names the position [X4]")
  void refused() {
    assertRefused("{\n  \"a\": }", "is not JSON at line 2, column 8");
    assertRefused("", "is empty, but must be JSON");
    assertRefused("{}{}", "has text after its JSON value");
    assertRefused("[".repeat(65) + "]".repeat(65), "is nested deeper than 64");
    assertThat(JsonDocument.parse("[".repeat(64) + "]".repeat(64))).isNotNull();
  }

  private static void assertRefused(String text, String rule) {
    assertThatThrownBy(() -> JsonDocument.parse(text))
        .isInstanceOf(InvalidValueException.class)
        .hasMessage(rule);
  }

  @Test
  @DisplayName(
      "given long names, then the memory of a document is proportional to its size " + "[X4]")
  void bounded() {
    var long100 = "x".repeat(100_000);
    var elements = JsonDocument.parse("{\"" + long100 + "\":[1" + ",1".repeat(70_000) + "]}");
    assertThat(elements.lines()).containsOnlyKeys("", "/...");
    var twice =
        JsonDocument.parse("{\"" + long100 + "\":{\"a\":1" + ",\"a\":1".repeat(20_000) + "}}");
    assertThat(twice.duplicates()).containsOnly("/...").hasSize(1_000);
    // the middle of the worst
    var pointers =
        JsonDocument.parse("{\"" + "x".repeat(500) + "\":[1" + ",1".repeat(125_000) + "]}");
    assertThat(pointers.lines()).hasSizeLessThanOrEqualTo(50_000);
  }
}
