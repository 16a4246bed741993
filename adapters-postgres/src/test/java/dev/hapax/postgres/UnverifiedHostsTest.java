package dev.hapax.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnverifiedHostsTest {
  @ParameterizedTest
  @DisplayName("given a host beyond loopback without verify-full, then it is found")
  @CsvSource({
    "jdbc:postgresql://192.0.2.1/hapax, 192.0.2.1",
    "jdbc:postgresql://192.0.2.1:5433/hapax?sslmode=require, 192.0.2.1",
    "jdbc:postgresql://192.0.2.1/hapax?sslmode=verify-ca&user=hapax, 192.0.2.1",
    "jdbc:postgresql://127.0.0.1:1;192.0.2.2:2/hapax, 192.0.2.2",
    "jdbc:postgresql://[2001:db8::1]/hapax, [2001:db8::1]",
    "jdbc:postgresql://db.invalid/hapax?sslmode=wrong, db.invalid",
  })
  void finds(String url, String host) {
    assertThat(UnverifiedHosts.of(url.replace(';', ','))).containsExactly(host);
  }

  @ParameterizedTest
  @DisplayName("given loopback or verify-full, then nothing is found")
  @ValueSource(
      strings = {
        "jdbc:postgresql:hapax",
        "jdbc:postgresql:/",
        "jdbc:postgresql://localhost/hapax",
        "jdbc:postgresql://127.0.0.1:5433,[::1]/hapax",
        "jdbc:postgresql://192.0.2.1/hapax?sslmode=verify-full",
        "jdbc:postgresql://192.0.2.1/hapax?user=hapax&ssl=true",
      })
  void accepts(String url) {
    assertThat(UnverifiedHosts.of(url)).isEmpty();
  }
}
