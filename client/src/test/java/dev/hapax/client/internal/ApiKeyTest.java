package dev.hapax.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiKeyTest {

  private static final String ID = "0123456789AB";
  private static final String SECRET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg";

  /** The server's tests have the same vectors; the checksum of the last begins with zeros. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "hpx_000000000000_0000000000000000000000000000000000000000000_181xyw",
        "hpx_zzzzzzzzzzzz_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz_2wC5I6",
        "hpx_" + ID + "_" + SECRET + "_2I5R77",
        "hpx_gjehOyXph3wf_VVNi13uruh7ZOSJmWv9kclT2yKU80yxvH9CbwaW2PBl_00q4h6"
      })
  @DisplayName("given a key as the server prints it, then it is sent as a bearer token")
  void vectors(String text) {
    assertThat(ApiKey.parse("key", text).authorization()).isEqualTo("Bearer " + text);
    assertThat(ApiKey.parse("key", " " + text + "\n").authorization()).isEqualTo("Bearer " + text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "_",
        "secret-of-another-kind",
        // one character differs
        "hpx_" + ID + "_1123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg_2I5R77",
        "hpx_" + ID + "_" + SECRET + "_2I5R78",
        // cut, longer, another prefix, another alphabet
        "hpx_" + ID + "_" + SECRET + "_2I5R7",
        "hpx_" + ID + "_" + SECRET + "_2I5R77x",
        "hpy_" + ID + "_" + SECRET + "_2I5R77",
        "hpx_" + ID + "_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdeé_2I5R77"
      })
  @DisplayName("given another text, then the error says what a key is, and does not repeat it")
  void malformed(String text) {
    assertThatThrownBy(() -> ApiKey.parse("HAPAX_API_KEY", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching(
            "HAPAX_API_KEY is (empty|not an API key, or was mistyped or cut); it must be"
                + " hpx_ID_SECRET_CHECKSUM, as `hapax key create` printed it")
        .hasNoCause();
  }

  @Test
  @DisplayName("given a key, when it is printed, then only its public part is shown")
  void print() {
    assertThat(ApiKey.parse("key", "hpx_" + ID + "_" + SECRET + "_2I5R77"))
        .hasToString("hpx_" + ID);
  }
}
