package dev.hapax.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CanonicalJsonTest {

  @ParameterizedTest
  @DisplayName("given JSON texts with the same meaning, then their canonical texts are equal")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"a\":1,\"b\":[true,null]} | { \"b\" : [ true , null ], \"a\" : 1 }",
        "{\"o\":{\"y\":1,\"x\":2}}    | {\"o\":{\"x\":2,\"y\":1}}",
        "[1, 100, 0.5, 0, -1]        | [1.0, 1e2, 5E-1, -0, -1.000]",
        "\"\\u00e9\\/\"              | \"é/\"",
        "{\"\\u0061\":1}             | {\"a\":1}"
      })
  void same(String one, String other) {
    assertThat(CanonicalJson.of(one)).isEqualTo(CanonicalJson.of(other));
  }

  @ParameterizedTest
  @DisplayName("given JSON texts with different meanings, then their canonical texts differ")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[1,2]              | [2,1]",
        "1                  | \"1\"",
        "null               | \"null\"",
        "[[],[]]            | [[[]]]",
        "[\"a\",\"b\"]      | [\"a,b\"]",
        "{\"a\":\"b\"}      | {\"ab\":\"\"}",
        "{\"a\":1,\"a\":2}  | {\"a\":2,\"a\":1}",
        "[12]               | [1,2]",
        "{}                 | []",
        // beyond 2^53, where RFC 8785 rounds
        "9007199254740992   | 9007199254740993"
      })
  void different(String one, String other) {
    assertThat(CanonicalJson.of(one)).isNotEqualTo(CanonicalJson.of(other));
  }

  @Test
  @DisplayName("given numbers out of range, then they keep their notation")
  void hugeNumbers() {
    assertThat(CanonicalJson.of("1e99999999999")).isEqualTo("1e99999999999");
    var digits = "1".repeat(500);
    assertThat(CanonicalJson.of(digits + ".0")).isNotEqualTo(CanonicalJson.of(digits));
  }
}
