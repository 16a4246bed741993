package dev.hapax.domain.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.InvalidValueException;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiKeyTest {
  private static final ApiKey KEY =
      new ApiKey("0123456789AB", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG");
  private static final String TEXT =
      "hpx_0123456789AB_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG_25jYDx";

  @Test
  @DisplayName("given a key, when it is printed and parsed, then it is the same key")
  void printsAndParses() {
    assertThat(KEY.text()).isEqualTo(TEXT);
    assertThat(ApiKey.parse(TEXT)).isEqualTo(KEY);
  }

  @Test
  @DisplayName("given random numbers, when keys are created, then each parses and all differ")
  void creates() {
    var random = new Random(7);
    var first = ApiKey.create(random::nextInt);
    var second = ApiKey.create(random::nextInt);
    assertThat(first).isNotEqualTo(second);
    assertThat(ApiKey.parse(first.text())).isEqualTo(first);
    assertThat(ApiKey.parse(second.text())).isEqualTo(second);
  }

  @ParameterizedTest
  @DisplayName("given another text, when it is parsed, then the error does not repeat it")
  @ValueSource(
      strings = {
        "",
        "hpx_",
        "0123456789AB",
        "hpx_0123456789AB_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG_25jYD_",
        "hpx_0123456789AB_1123456789abcdefghijklmnopqrstuvwxyzABCDEFG_25jYDx",
        "hpx_0123456789A-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG_25jYDx",
        "hpx_0123456789AB-0123456789abcdefghijklmnopqrstuvwxyzABCDEFG-25jYDx",
        "HPX_0123456789AB_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG_25jYDx",
        "hpx_0123456789AB_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG_25jYDx "
      })
  void rejects(String text) {
    assertThatThrownBy(() -> ApiKey.parse(text))
        .isInstanceOf(InvalidValueException.class)
        .message()
        .doesNotContain("0123456789abcdef");
  }

  @Test
  @DisplayName("given a key, when it is shown in a log, then only its public id is")
  void hidesTheSecret() {
    assertThat(KEY).hasToString("hpx_0123456789AB");
    assertThat(KEY.secretHash().hex()).hasSize(64).doesNotContain(KEY.secret());
  }

  @ParameterizedTest
  @DisplayName("given a whole key, a cut one or an id, then its id is found")
  @ValueSource(
      strings = {
        "0123456789AB",
        " hpx_0123456789AB\n",
        "hpx_0123456789AB_0123456789abcdef",
        "hpx_0123456789AB_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG_25jYDx"
      })
  void findsTheId(String text) {
    assertThat(ApiKey.idIn(text)).isEqualTo("0123456789AB");
  }

  @ParameterizedTest
  @DisplayName("given a text without an id, then the error does not repeat it")
  @ValueSource(
      strings = {
        "",
        "hpx_0123456789abcdef_",
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
        "hpx_0123456789A-_0123456789abcdef"
      })
  void findsNoId(String text) {
    assertThatThrownBy(() -> ApiKey.idIn(text))
        .isInstanceOf(InvalidValueException.class)
        .message()
        .doesNotContain("0123456789");
  }
}
