package dev.hapax.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.json.Json;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JsonTextTest {
  @Test
  @DisplayName("given a parsed text, when it is printed, then only white space differs")
  void roundTrip() {
    var text =
        """
        {"b":[1,{},[]],"a":{"x":null,"y":true,"z":false},"text":"\\"\\\\\\u0000é😀"}""";
    assertThat(JsonText.print(JsonText.object(text.replace(",", " , ")))).isEqualTo(text);
  }

  @Test
  @DisplayName("given a parsed number, when it is printed, then it keeps its notation")
  void numbers() {
    for (var number :
        List.of("1.0", "1e400", "-0", "123456789012345678901234567890", "0.1000", "1E-7")) {
      var read = JsonText.object("{\"n\":" + number + "}");
      assertThat(read.members()).containsEntry("n", new Json.Num(number));
      assertThat(JsonText.print(read)).isEqualTo("{\"n\":" + number + "}");
    }
  }

  @Test
  @DisplayName("given no object, deep nesting or an unpaired surrogate, then the text is rejected")
  void refused() {
    assertRefused("[]", "must be a JSON object");
    assertRefused("1", "must be a JSON object");
    assertRefused("{", "is not JSON at line 1, column 2");
    assertRefused("{}{}", "has text after its JSON value");
    assertRefused("{\"a\":\"\\ud83d\"}", "has an unpaired surrogate");
    // in names the parser itself sees it
    assertRefused("{\"\\udc00\":1}", "is not JSON at line 1, column 9");
    assertRefused("{\"a\":".repeat(65) + "1" + "}".repeat(65), "is nested deeper than 64");
    assertThat(JsonText.object("{\"a\":".repeat(64) + "1" + "}".repeat(64))).isNotNull();
  }

  @Test
  @DisplayName("a long string, name or number is not taken for a deep document")
  void longTokens() {
    var large = Payload.MAX_BYTES + 1;
    for (var member : List.of("\"a\":\"%s\"", "\"%s\":1", "\"a\":%s")) {
      var text = "{" + member.formatted("1".repeat(large)) + "}";
      assertThat(JsonText.object(text).members()).hasSize(1);
    }
  }

  private static void assertRefused(String text, String rule) {
    assertThatThrownBy(() -> JsonText.object(text))
        .isInstanceOf(InvalidValueException.class)
        .hasMessage(rule);
  }
}
