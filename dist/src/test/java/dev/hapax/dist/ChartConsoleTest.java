package dev.hapax.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.cli.HapaxCommand;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import dev.hapax.bootstrap.server.Server;
import dev.hapax.testkit.tls.TestCertificates;
import dev.hapax.testkit.tls.TlsClient;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with the configuration that the chart renders. */
class ChartConsoleTest {
  private static final String VALUES =
      """
      database: {url: "%s", user: "%s", existingSecret: hapax-database}
      tls: {existingSecret: hapax-tls}
      console: {enabled: true}
      """;

  @TempDir private Path work = Path.of("");

  private static void hapax(Path config, String... arguments) {
    var environment = Map.of("HAPAX_CONFIG", config.toString());
    assertThat(HapaxCommand.commandLine(environment).execute(arguments)).isZero();
  }

  @Test
  @DisplayName(
      "given console.enabled, when a server starts with the settings of the chart, then a browser"
          + " gets the page to log in [operators-S5]")
  void logsIn() throws Exception {
    var etc = work.resolve("etc");
    var settings = new ServerSettings(etc);
    var authority = TestCertificates.authority("hapax tests");
    authority.issue("localhost").writeTo(Files.createDirectories(etc.resolve("tls")));
    try (var database = EmbeddedDatabase.start(work.resolve("data"))) {
      var target = database.target();
      Files.writeString(
          etc.resolve("database/password"), target.password().current().orElseThrow());
      var objects =
          Chart.copiedTo(work)
              .render(VALUES.formatted(target.url().value(), target.user().orElseThrow()));
      var container =
          objects
              .only(Deployment.class)
              .getSpec()
              .getTemplate()
              .getSpec()
              .getContainers()
              .getFirst();
      var environment =
          container.getEnv().stream().collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
      // the ports of this machine may be taken
      var properties =
          objects
              .only(ConfigMap.class)
              .getData()
              .getOrDefault("hapax.properties", "")
              .replaceAll("0\\.0\\.0\\.0:\\d+", "0.0.0.0:0");
      var config = settings.read(properties, environment);
      var file = etc.resolve("hapax.properties");
      hapax(file, "migrate");
      hapax(file, "key", "create", "--principal=ops", "--role=admin", "--workspace=*");

      try (var server = Server.start(config)) {
        var port = server.console().map(URI::getPort).orElseThrow();
        var page = get(authority, URI.create("https://localhost:" + port + "/"));
        assertThat(page).contains("<title>Log in · Hapax</title>");
      }
    }
  }

  private static String get(TestCertificates trusted, URI address) throws Exception {
    try (var http =
        HttpClient.newBuilder()
            .sslContext(TlsClient.of(trusted, Optional.empty()).context())
            .followRedirects(Redirect.NORMAL)
            .build()) {
      return http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()).body();
    }
  }
}
