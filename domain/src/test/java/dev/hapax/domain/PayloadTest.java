package dev.hapax.domain;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PayloadTest {
  @Test
  @DisplayName("JSON is its text: other spaces or another order are another payload")
  void json() {
    assertThat(new Payload.Json("{\"a\":1}"))
        .isEqualTo(new Payload.Json("{\"a\":1}"))
        .isNotEqualTo(new Payload.Json("{\"a\": 1}"));
  }

  @Test
  @DisplayName("bytes are equal by content, and never equal to the JSON they spell")
  void binary() {
    var bytes = new Payload.Binary(new byte[] {'1'});
    assertThat(bytes)
        .isEqualTo(new Payload.Binary(new byte[] {'1'}))
        .hasSameHashCodeAs(new Payload.Binary(new byte[] {'1'}))
        .isNotEqualTo(new Payload.Binary(new byte[] {'2'}))
        .isNotEqualTo(new Payload.Json("1"));
  }

  @Test
  @DisplayName("its size is known without a scan; its text does not show the bytes")
  void size() {
    assertThat(new Payload.Json("[]").size()).isEqualTo(2);
    assertThat(new Payload.Binary(new byte[3]).size()).isEqualTo(3);
    assertThat(new Payload.Binary(new byte[] {65, 65})).hasToString("Binary[2 bytes]");
  }
}
