package dev.hapax.bootstrap.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:0", "localhost:65535", "[::1]:7420", "example.org:1"})
  void printsWhatItRead(String text) {
    assertThat(HostPort.parse(text)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "localhost", ":7420", "localhost:", "localhost:x", "h:65536", "h:-1", "::1:2"})
  void refusesWhatIsNoAddress(String text) {
    assertThatThrownBy(() -> HostPort.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void knowsWhoCanReachIt() {
    assertThat(HostPort.parse("127.0.0.9:1").isLoopback()).isTrue();
    assertThat(HostPort.parse("[::]:1").isLoopback()).isFalse();
  }
}
