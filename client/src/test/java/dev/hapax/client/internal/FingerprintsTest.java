package dev.hapax.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.hapax.client.Json;
import dev.hapax.client.Value;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FingerprintsTest {

  private static final Path VECTORS = Path.of("../kits/contract/vectors/fingerprints.json");
  private static final Json JSON = DetectedJson.INSTANCE;

  private static List<JsonNode> vectors() throws IOException {
    JsonNode all = new ObjectMapper().readTree(VECTORS.toFile()).get("vectors");
    // without an input an operation has no fingerprint
    return StreamSupport.stream(all.spliterator(), false)
        .filter(each -> each.has("json") || each.has("base64"))
        .toList();
  }

  private static String of(Object input) {
    return HexFormat.of().formatHex(Fingerprints.of(input, JSON));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("vectors")
  @DisplayName("given an input of the contract, then the fingerprint is that of all languages")
  void contract(JsonNode vector) {
    if (vector.has("base64")) {
      byte[] content = Base64.getDecoder().decode(vector.get("base64").textValue());
      assertThat(of(content)).isEqualTo(vector.get("fingerprint").textValue());
      assertThat(of(new Value.Bytes(content))).isEqualTo(vector.get("fingerprint").textValue());
      return;
    }
    Value.Json json = new Value.Json(vector.get("json").textValue());
    if (vector.get("fingerprint").isNull()) {
      assertThatThrownBy(() -> of(json)).isInstanceOf(IllegalArgumentException.class);
      return;
    }
    assertThat(of(json)).isEqualTo(vector.get("fingerprint").textValue());
    assertThat(CanonicalText.of(json.text())).isEqualTo(vector.get("canonical").textValue());
  }

  @Test
  @DisplayName("given an object, then the fingerprint is that of its JSON, whatever its order")
  void objects() {
    record Payment(String order, BigDecimal amount) {}
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("amount", 30);
    members.put("order", "4711");

    assertThat(of(new Payment("4711", new BigDecimal("30.00"))))
        .isEqualTo(of(members))
        .isEqualTo(of(new Value.Json("{\"order\":\"4711\",\"amount\":3e1}")));
    assertThat(of("4711")).isEqualTo(of(new Value.Json("\"4711\""))).isNotEqualTo(of(4711));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          9007199254740993 | integers beyond 2^53 - 1 differ between languages; send 9007199254740993 as a text
          [1e400]          | an input must have finite numbers (was 1e400)
          {"\\udc00": 1}   | an input must not have unpaired surrogates
          "\\ud800\\ud800" | an input must not have unpaired surrogates
          [1,              | an input must be JSON (it ends within a value)
          [01]             | an input must be JSON (unexpected character at offset 2)
          """)
  @DisplayName("given JSON without a fingerprint, then the exception names the problem")
  void refused(String json, String message) {
    assertThatThrownBy(() -> of(new Value.Json(json)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " ", "{", "[", "\"", "\"\\", "\"\\u12", "\"\\u12g4\"", "\"\\x\"", "\"\n\"", "nul", "NaN",
        "Infinity", "-", "+1", "1.", ".5", "1e", "1e+", "[1 2]", "[1,]", "[,]", "{1:2}", "{\"a\"}",
        "{\"a\":}", "{\"a\":1,}", "{\"a\":1 \"b\":2}", "1 1", "[]]", "'a'", "\u00a0" + "1", "\"\\u٠٠٠٠\""
      })
  @DisplayName("given a text that is no JSON, then it is refused")
  void noJson(String text) {
    assertThatThrownBy(() -> CanonicalText.of(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("an input must be JSON");
  }

  @Test
  @DisplayName("given a member twice, then the last one counts, as in other languages")
  void duplicates() {
    assertThat(CanonicalText.of("{\"a\":[1],\"b\":2,\"\\u0061\":3}")).isEqualTo("{\"a\":3,\"b\":2}");
  }

  @Test
  @DisplayName("given JSON of too many levels, then it is refused, without a stack overflow")
  void depth() {
    assertThat(CanonicalText.of("[".repeat(1000) + "]".repeat(1000))).hasSize(2000);
    assertThatThrownBy(() -> CanonicalText.of("[{\"a\":".repeat(100_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the JSON of an input must have at most 1000 levels");
    // a depth that has ended does not count
    assertThat(CanonicalText.of("[" + "[],{},".repeat(2000) + "0]")).endsWith("0]");
  }

  @ParameterizedTest
  @CsvSource({
    "5.684341886080801486968994140625e-14, 5.684341886080802e-14",
    "4.94e-324, 5e-324",
    "-2.2250738585072014e-308, -2.2250738585072014e-308",
    "0.000000999, 9.99e-7",
    "2e-3, 0.002",
    "4503599627370495.5, 4503599627370495.5"
  })
  @DisplayName("given a fraction, then it is written as ECMAScript does, on each JVM")
  void fractions(String json, String canonical) {
    assertThat(CanonicalText.of(json)).isEqualTo(canonical);
  }

  @Test
  @DisplayName("given random fractions, then the text is the shortest that is read back")
  void shortest() {
    Random random = new Random(4711);
    for (int i = 0; i < 20_000; i++) {
      double number = Double.longBitsToDouble(random.nextLong());
      if (Double.isNaN(number) || Double.isInfinite(number) || number == Math.rint(number)) {
        continue;
      }
      String text = CanonicalText.of(new BigDecimal(number).toString());
      assertThat(Double.parseDouble(text)).isEqualTo(number);
      // this JVM, 25, writes the shortest with at least two digits
      BigDecimal expected = new BigDecimal(Double.toString(number));
      if (expected.stripTrailingZeros().precision() > 2) {
        assertThat(new BigDecimal(text)).isEqualByComparingTo(expected);
      }
    }
  }
}
