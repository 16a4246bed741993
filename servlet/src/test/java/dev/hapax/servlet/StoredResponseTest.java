package dev.hapax.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.Value;
import dev.hapax.servlet.StoredResponse.Header;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The record of a response, which all kits read and write. */
class StoredResponseTest {

  private static StoredResponse decode(String json) {
    return StoredResponse.read(new Value.Json(json));
  }

  private static String encode(StoredResponse response) {
    return response.json();
  }

  @Test
  @DisplayName("given the record of another kit, then it is read")
  void readsOthers() {
    assertThat(
            decode(
                """
                {"body": "e30=", "more": [1, {"a": null}, true, false, -1.5e3, []], "status": 201,
                 "headers": [["content-type", "application/json"], ["x", "\\u00e9\\n\\"\\/"]]}
                """))
        .isEqualTo(
            new StoredResponse(
                201,
                List.of(new Header("content-type", "application/json"), new Header("x", "é\n\"/")),
                "e30=",
                null));
  }

  @Test
  @DisplayName("given a response, then its record is as the contract says, and is read again")
  void writes() {
    var response =
        new StoredResponse(201, List.of(new Header("X", "a\"\\\u0001\ud800b")), "e30=", null);
    assertThat(encode(response))
        .isEqualTo(
            "{\"status\":201,\"headers\":[[\"X\",\"a\\\"\\\\\\u0001\\ud800b\"]],\"body\":\"e30=\"}");
    assertThat(decode(encode(response))).isEqualTo(response);
    var error = new StoredResponse(404, List.of(), "", "no");
    assertThat(decode(encode(error))).isEqualTo(error);
    assertThat(encode(StoredResponse.NOT_KEPT))
        .isEqualTo("{\"@type\":\"hapax.dev/result-not-retained\"}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{}",
        "{\"status\":200,\"headers\":[],\"body\":\"\"",
        "{\"status\":200,\"headers\":[],\"body\":\"\"}}",
        "{\"status\":200,\"headers\":[[\"a\"]],\"body\":\"\"}",
        "{\"status\":\"200\",\"headers\":[],\"body\":\"\"}",
        "{\"status\":2x0,\"headers\":[],\"body\":\"\"}",
        "{\"status\":200,\"headers\":[],\"body\":\"\\x\"}",
        "{\"status\":200,\"headers\":[],\"body\":\"\\u12\"}"
      })
  @DisplayName("given a result that is no response, then it is refused")
  void refuses(String json) {
    assertThatThrownBy(() -> decode(json)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @DisplayName("given nested values without end, then they are refused, and no stack overflows")
  void deep() {
    assertThatThrownBy(() -> decode("[".repeat(100_000)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> StoredResponse.read(null))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
