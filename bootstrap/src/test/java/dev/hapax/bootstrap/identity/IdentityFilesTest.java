package dev.hapax.bootstrap.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.config.ConfigReader;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.token.JwtVerifier;
import dev.hapax.domain.security.ClientCertificate;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdentityFilesTest {
  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName("given no files, then no token and no certificate is accepted")
  void none() throws Exception {
    var files = read(Map.of());

    assertThat(files.certificates()).isEmpty();
    assertThat(start(files)).isEmpty();
  }

  @Test
  @DisplayName("given both files, then tokens and certificates are accepted")
  void both() throws Exception {
    var issuers = file("issuers", "issuer = a", "audience = b", "jwks = http://localhost:1/keys");
    var certificates =
        file("certificates", "# ours", "", "spiffe://prod/* = all role=viewer workspace=*");

    var files = read(Map.of("token-issuers", issuers, "certificate-identities", certificates));

    assertThat(files.certificates().orElseThrow().find(certificate("spiffe://prod/a")))
        .hasValueSatisfying(principal -> assertThat(principal).hasToString("certificate:all"));
    assertThat(files.certificates().orElseThrow().find(certificate("spiffe://test/a"))).isEmpty();
    try (var verifier = start(files).orElseThrow()) {
      assertThat(verifier.verify("x")).isCompleted();
    }
  }

  @Test
  @DisplayName("given lines that cannot be read, then the start is refused with their numbers")
  void unreadable() throws Exception {
    var certificates =
        file("certificates", "spiffe://prod/a = b", "", "c = d role=viewer workspace=*");

    assertThatThrownBy(() -> read(Map.of("certificate-identities", certificates)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(certificates + ":1: must be like 'spiffe://prod/ns/billing/* =")
        .hasMessageContaining(certificates + ":3: must be dns:NAME or a URI;");
    var empty = file("empty", "#");
    assertThatThrownBy(() -> read(Map.of("certificate-identities", empty)))
        .hasMessageContaining("has no identity");
  }

  private static Optional<JwtVerifier> start(IdentityFiles files) {
    var clock = new SettableClock();
    return files.startTokens(clock, new ManualScheduler(clock));
  }

  private static IdentityFiles read(Map<String, String> flags) throws ConfigurationException {
    return IdentityFiles.read(ConfigReader.read(flags, Map.of(), Optional.empty()));
  }

  private String file(String name, String... lines) throws IOException {
    return Files.write(folder.resolve(name), List.of(lines)).toString();
  }

  private static ClientCertificate certificate(String uri) {
    return new ClientCertificate(List.of(uri), List.of(), Instant.MAX);
  }
}
