package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.testkit.tls.TestCertificates;
import io.grpc.InsecureServerCredentials;
import io.grpc.TlsServerCredentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The examples against a server with TLS and keys. */
@Tag("long")
class ExampleCredentialsIT {
  private static final TestCertificates AUTHORITY = TestCertificates.authority("test");

  @TempDir private Path folder = Path.of("");

  private KeyedGateway encrypted() throws IOException {
    AUTHORITY.issue("127.0.0.1").writeTo(folder);
    return new KeyedGateway(
        TlsServerCredentials.create(
            folder.resolve("tls.crt").toFile(), folder.resolve("tls.key").toFile()));
  }

  private String authority() throws IOException {
    return Files.writeString(folder.resolve("authority.pem"), AUTHORITY.pem()).toString();
  }

  private static void assertCharges(TutorialShop shop, Map<String, String> environment) {
    try (var process = shop.start(environment, "charge", "request-" + shop, "30")) {
      assertThat(process.awaitExit()).as("errors: %s", process.errors()).isZero();
      assertThat(process.output()).last().isEqualTo("{\"charged\":30}");
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given a server with TLS and a key, then the shop calls it with both")
  void shop(TutorialShop shop) throws IOException {
    shop.prepare();
    try (var gateway = encrypted()) {
      assertCharges(
          shop,
          Map.of(
              "HAPAX_SERVER",
              gateway.target(),
              "HAPAX_TLS_CA",
              authority(),
              "HAPAX_API_KEY",
              KeyedGateway.KEY));
      var withoutKey = Map.of("HAPAX_SERVER", gateway.target(), "HAPAX_TLS_CA", authority());
      try (var process = shop.start(withoutKey, "charge", "without-key", "30")) {
        assertThat(process.awaitExit()).isNotZero();
        assertThat(String.join("\n", process.errors())).contains("UNAUTHENTICATED");
      }
    }
    try (var plaintext = new KeyedGateway(InsecureServerCredentials.create())) {
      assertCharges(
          shop, Map.of("HAPAX_SERVER", plaintext.target(), "HAPAX_API_KEY", KeyedGateway.KEY));
    }
  }

  @Test
  @DisplayName("given a server with TLS and a key in a file, then the example in Node calls it")
  void once() throws IOException {
    Npm.prepare();
    var key = Files.writeString(folder.resolve("key"), KeyedGateway.KEY + "\n").toString();
    try (var gateway = encrypted()) {
      var environment =
          Map.of(
              "HAPAX_SERVER",
              "https://" + gateway.target(),
              "HAPAX_TLS_CA",
              authority(),
              "HAPAX_API_KEY_FILE",
              key);
      try (var node = once(environment)) {
        assertThat(node.awaitExit()).as("errors: %s", node.errors()).isZero();
        assertThat(node.output()).last().isEqualTo("charged 1 time");
      }
    }
    try (var plaintext = new KeyedGateway(InsecureServerCredentials.create());
        var node =
            once(Map.of("HAPAX_SERVER", plaintext.target(), "HAPAX_API_KEY", KeyedGateway.KEY))) {
      assertThat(node.awaitExit()).as("errors: %s", node.errors()).isZero();
    }
  }

  @Test
  @DisplayName("given a key and another machine without TLS, then the example in Node refuses")
  void refuses() throws IOException {
    Npm.prepare();
    try (var node =
        once(Map.of("HAPAX_SERVER", "192.0.2.1:7420", "HAPAX_API_KEY", KeyedGateway.KEY))) {
      assertThat(node.awaitExit()).isEqualTo(1);
      assertThat(String.join("\n", node.errors()))
          .contains("the API key is not sent to 192.0.2.1:7420 without TLS")
          .doesNotContain(KeyedGateway.KEY);
    }
  }

  private static HapaxProcess once(Map<String, String> environment) {
    return HapaxProcess.startProgram(Npm.EXAMPLES, environment, "node", "once.js");
  }
}
