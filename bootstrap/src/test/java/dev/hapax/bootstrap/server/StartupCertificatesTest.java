package dev.hapax.bootstrap.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.config.ConfigReader;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.grpc.tls.CertificateStatus;
import dev.hapax.grpc.tls.CertificateUse;
import dev.hapax.testkit.tls.TestCertificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartupCertificatesTest {
  private final TestCertificates authority = TestCertificates.authority("root");
  private final Map<String, String> flags = new HashMap<>();
  @TempDir private Path folder = Path.of("");

  @BeforeEach
  void write() throws Exception {
    authority.issue("localhost").writeTo(folder);
    flags.put("tls-cert", folder.resolve("tls.crt").toString());
    flags.put("tls-key", folder.resolve("tls.key").toString());
    flags.put(
        "tls-client-ca", Files.writeString(folder.resolve("ca.crt"), authority.pem()).toString());
  }

  @Test
  @DisplayName("given files that cannot be used, then the start names the setting and the reason")
  void namesTheSetting() throws Exception {
    assertThat(read().tls()).isPresent();

    Files.writeString(folder.resolve("tls.key"), authority.issue("localhost").keyPem());
    refused("tls-key", "is not the key of the certificate in " + folder.resolve("tls.crt"));
    Files.writeString(folder.resolve("tls.crt"), "nothing");
    refused("tls-cert", "has no certificate in PEM");
    write();
    Files.delete(folder.resolve("ca.crt"));
    refused("tls-client-ca", "does not exist");
  }

  @Test
  @DisplayName("given a certificate for the database, then its expiry is known beside the others")
  void ofTheDatabase() throws Exception {
    flags.put(
        "database-url", "jdbc:postgresql://db/x?ssl=true&sslcert=" + folder.resolve("tls.crt"));
    assertThat(read().statuses())
        .extracting(CertificateStatus::use)
        .containsExactly(CertificateUse.SERVER, CertificateUse.CLIENT_CA, CertificateUse.DATABASE);

    flags.put("database-url", "jdbc:postgresql://db/x?sslcert=" + folder.resolve("missing"));
    assertThat(read().statuses()).hasSize(2);
  }

  private void refused(String setting, String reason) {
    assertThatThrownBy(this::read)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("--" + setting + "=" + flags.get(setting) + ": " + reason);
  }

  private StartupCertificates read() throws Exception {
    var config = ConfigReader.read(flags, Map.of(), Optional.empty());
    return StartupCertificates.read(config, Instant.now());
  }
}
