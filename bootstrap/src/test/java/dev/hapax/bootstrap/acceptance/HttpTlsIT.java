package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.testkit.postgres.TestDatabase;
import dev.hapax.testkit.tls.TestCertificate;
import dev.hapax.testkit.tls.TestCertificates;
import dev.hapax.testkit.tls.TestCertificates.Request;
import dev.hapax.testkit.tls.TlsClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP with the certificates of gRPC. */
@Tag("long")
class HttpTlsIT {
  private static final Duration SEEN = Duration.ofSeconds(45);
  private static final byte[] REQUEST =
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final String WHO_AM_I = "hapax.v1.IdentityService/WhoAmI";

  private final TestCertificates servers = TestCertificates.authority("servers");
  private final TestCertificates clients = TestCertificates.authority("clients");
  @TempDir private Path folder = Path.of("");

  @Test
  @Tag("A3")
  @DisplayName(
      "given TLS and certificate identities, when HTTP is called, then the certificate is the"
          + " caller, and a renewed one of the server is used")
  void certificates() throws Exception {
    var first = servers.issue(request());
    first.writeTo(folder);
    Files.writeString(folder.resolve("clients.crt"), clients.pem());
    Files.writeString(
        folder.resolve("identities"), "dns:billing.internal = billing role=admin workspace=*\n");
    try (var database = TestDatabase.create();
        var server = serve(database)) {
      var _ = server.awaitReady();
      var line = server.awaitError(each -> each.contains("HTTP/JSON on "));
      var target = line.substring(line.lastIndexOf(' ') + 1);

      var known = call("https", target, Optional.of(clients.issue("billing.internal")));
      assertThat(known.statusCode()).as(known.body()).isEqualTo(200);
      assertThat(known.body()).contains("PRINCIPAL_KIND_CERTIFICATE", "\"billing\"");
      assertThat(certificate(known)).isEqualTo(first.certificate());

      assertThat(call("https", target, Optional.empty()).statusCode()).isEqualTo(401);
      assertThat(call("https", target, Optional.of(clients.issue("other"))).statusCode())
          .isEqualTo(401);
      assertThatThrownBy(
              () -> call("https", target, Optional.of(servers.issue("billing.internal"))))
          .as("a certificate of another authority")
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> call("http", target, Optional.empty()))
          .isInstanceOf(IOException.class);

      var second = servers.issue(request());
      second.writeTo(folder);
      Condition.await(
          "the new certificate is used",
          SEEN,
          () -> {
            try {
              return certificate(call("https", target, Optional.empty()))
                  .equals(second.certificate());
            } catch (IOException | InterruptedException e) {
              throw new AssertionError(e);
            }
          });
      assertThat(server.errors())
          .noneMatch(each -> each.contains("Exception") || each.startsWith("\tat "));
    }
  }

  @ParameterizedTest(name = "given {0} with TLS, when a client renegotiates, then it is refused")
  @ValueSource(strings = {"HTTP/JSON", "console"})
  void renegotiation(String listener) throws Exception {
    servers.issue(request()).writeTo(folder);
    try (var database = TestDatabase.create();
        var server =
            HapaxProcess.start(
                "serve",
                "--listen=127.0.0.1:0",
                "--http-listen=127.0.0.1:0",
                "--console-listen=127.0.0.1:0",
                "--tls-cert=" + folder.resolve("tls.crt"),
                "--tls-key=" + folder.resolve("tls.key"),
                "--database-url=" + database.url())) {
      var _ = server.awaitReady();
      var line = server.awaitError(each -> each.contains(listener + " on "));
      var port = Integer.parseInt(line.replaceFirst(".*:", "").replace("/", ""));
      assertThat(answers(port, 1)).isTrue();
      assertThat(answers(port, 2)).isFalse();
    }
  }

  /** Whether the server answers a request after so many handshakes on one connection. */
  private boolean answers(int port, int handshakes) throws IOException {
    try (var socket = TlsClient.of(servers, Optional.empty()).open(port, "TLSv1.2")) {
      socket.setSoTimeout(30_000);
      for (var handshake = 0; handshake < handshakes; handshake++) {
        socket.startHandshake();
      }
      socket.getOutputStream().write(REQUEST);
      return socket.getInputStream().read() == 'H';
    } catch (SSLException e) {
      assertThat(e).hasMessageContaining("handshake_failure");
      return false;
    }
  }

  private static Request request() {
    return Request.of("localhost", "127.0.0.1");
  }

  private HapaxProcess serve(TestDatabase database) {
    return HapaxProcess.start(
        "serve",
        "--listen=127.0.0.1:0",
        "--http-listen=127.0.0.1:0",
        "--authentication",
        "--tls-cert=" + folder.resolve("tls.crt"),
        "--tls-key=" + folder.resolve("tls.key"),
        "--tls-client-ca=" + folder.resolve("clients.crt"),
        "--tls-client-auth=optional",
        "--certificate-identities=" + folder.resolve("identities"),
        "--database-url=" + database.url());
  }

  private HttpResponse<String> call(
      String scheme, String target, Optional<TestCertificate> certificate)
      throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create("%s://%s/%s".formatted(scheme, target, WHO_AM_I)))
            .header("Content-Type", "application/json")
            .timeout(Duration.ofSeconds(30))
            .POST(BodyPublishers.ofString("{}"))
            .build();
    // each call with a new connection
    try (var http =
        HttpClient.newBuilder().sslContext(TlsClient.of(servers, certificate).context()).build()) {
      return http.send(request, BodyHandlers.ofString());
    }
  }

  private static Object certificate(HttpResponse<String> answer) throws SSLException {
    var session =
        answer.sslSession().orElseThrow(() -> new SSLPeerUnverifiedException("plaintext"));
    return session.getPeerCertificates()[0];
  }
}
