package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.internal.SystemTiming;
import dev.hapax.testkit.tls.TestCertificates;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsServerCredentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients of servers that listen on loopback, with and without TLS. */
@Timeout(60)
class ServerAddressTest {

  private static final TestCertificates AUTHORITY = TestCertificates.authority("test");

  @TempDir private Path folder = Path.of("");
  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private final List<Server> servers = new ArrayList<>();

  private Path authority() throws IOException {
    return Files.writeString(folder.resolve("authority"), AUTHORITY.pem());
  }

  /** Returns a folder with {@code tls.crt} and {@code tls.key} for these names. */
  private Path issue(String... names) throws IOException {
    Path files = Files.createDirectories(folder.resolve(names[0]));
    AUTHORITY.issue(names).writeTo(files);
    return files;
  }

  @AfterEach
  void close() {
    servers.forEach(Server::shutdownNow);
    hapax.close();
  }

  /** Returns the port. */
  private int serve(ServerCredentials credentials) throws IOException {
    Server server =
        Grpc.newServerBuilderForPort(0, credentials)
            .intercept(hapax.access)
            .addService(hapax.runs)
            .build()
            .start();
    servers.add(server);
    return server.getPort();
  }

  private ServerCredentials tls(String... names) throws IOException {
    Path files = issue(names);
    return TlsServerCredentials.create(
        files.resolve("tls.crt").toFile(), files.resolve("tls.key").toFile());
  }

  private static Hapax.Builder to(String server) {
    return Hapax.builder(Map.of("HAPAX_TLS", "true"))
        .server(server)
        .callTimeout(Duration.ofMillis(1));
  }

  private static String start(Hapax client) {
    return client
        .call(
            StartRunRequest.newBuilder().setDefinition("order").build(),
            StartRunResponse.getDefaultInstance())
        .getRun()
        .getId();
  }

  private static String start(Hapax.Builder settings) {
    try (Hapax client = settings.connect()) {
      return start(client);
    }
  }

  @Test
  @DisplayName("given a server with TLS, when its authority is trusted, then calls carry the key")
  void tls() throws IOException {
    hapax.access.accept(FakeAccess.FIRST_KEY);
    String server = "localhost:" + serve(tls("localhost"));
    Hapax.Builder trusting = to(server).caFile(authority());

    assertThatThrownBy(() -> start(trusting)).isInstanceOf(HapaxException.Unauthenticated.class);
    assertThat(start(trusting.apiKey(FakeAccess.FIRST_KEY))).isNotEmpty();
    assertThatThrownBy(() -> start(trusting.apiKey(FakeAccess.SECOND_KEY)))
        .isInstanceOf(HapaxException.Unauthenticated.class)
        .hasMessageContaining("unknown API key")
        .message()
        .doesNotContain(FakeAccess.SECOND_KEY);
  }

  @Test
  @DisplayName("given a server with TLS, when it cannot be trusted, then no call reaches it")
  void untrusted() throws IOException {
    String unknown = "localhost:" + serve(tls("localhost"));
    assertThatThrownBy(() -> start(to(unknown)))
        .isInstanceOf(HapaxException.Unavailable.class)
        .hasRootCauseInstanceOf(CertPathBuilderException.class);

    String other = "localhost:" + serve(tls("elsewhere.invalid"));
    assertThatThrownBy(() -> start(to(other).caFile(authority())))
        .isInstanceOf(HapaxException.Unavailable.class)
        .hasRootCauseInstanceOf(CertificateException.class)
        .rootCause()
        .hasMessageContaining("localhost");

    String plain = "localhost:" + serve(InsecureServerCredentials.create());
    assertThatThrownBy(() -> start(to(plain))).isInstanceOf(HapaxException.Unavailable.class);
    assertThat(hapax.access.accepted()).isZero();
  }

  @Test
  @DisplayName(
      "given a server that requires a client certificate, then it gets the one of the file")
  void clientCertificate() throws IOException {
    Path own = issue("127.0.0.1");
    int port =
        serve(
            TlsServerCredentials.newBuilder()
                .keyManager(own.resolve("tls.crt").toFile(), own.resolve("tls.key").toFile())
                .trustManager(authority().toFile())
                .clientAuth(TlsServerCredentials.ClientAuth.REQUIRE)
                .build());
    Hapax.Builder settings = to("https://127.0.0.1:" + port).caFile(authority());

    assertThatThrownBy(() -> start(settings)).isInstanceOf(HapaxException.Unavailable.class);
    assertThat(start(settings.clientCertificate(own.resolve("tls.crt"), own.resolve("tls.key"))))
        .isNotEmpty();
  }

  @Test
  @DisplayName("given a plaintext server on loopback, then the key is sent, also to a new one")
  void plaintext() throws Exception {
    hapax.access.accept(FakeAccess.FIRST_KEY);
    String server = "127.0.0.1:" + serve(InsecureServerCredentials.create());
    Path file = Files.writeString(folder.resolve("key"), FakeAccess.FIRST_KEY);
    try (Hapax client =
        Hapax.builder(Map.of()).server(server).plaintext().apiKeyFile(file).connect()) {
      start(client);

      Files.writeString(file, FakeAccess.SECOND_KEY);
      hapax.access.accept(FakeAccess.SECOND_KEY);
      Conditions.until(
          () -> {
            try {
              return !start(client).isEmpty();
            } catch (HapaxException.Unauthenticated old) {
              return false;
            }
          });
    }
  }

  @Test
  @DisplayName("given the variables of the command, then they describe the same server")
  void environment() throws IOException {
    String key = FakeAccess.FIRST_KEY;
    String file = Files.writeString(folder.resolve("key"), key).toString();
    String authority = authority().toString();
    String jwt = Files.writeString(folder.resolve("jwt"), "aaa.bbb.ccc").toString();

    assertThat(ServerAddress.ofVariables(Map.of()))
        .hasToString("ServerAddress[127.0.0.1:7420, plaintext]");
    assertThat(ServerAddress.ofVariables(Map.of("HAPAX_SERVER", " a:1 ", "HAPAX_TLS", "true")))
        .hasToString("ServerAddress[a:1, TLS]");
    assertThat(ServerAddress.ofVariables(Map.of("HAPAX_SERVER", "https://127.0.0.1:1")))
        .hasToString("ServerAddress[127.0.0.1:1, TLS]");
    assertThat(ServerAddress.ofVariables(Map.of("HAPAX_TLS_CA", authority)))
        .hasToString("ServerAddress[127.0.0.1:7420, TLS]");
    assertThat(ServerAddress.ofVariables(Map.of("HAPAX_API_KEY", key)))
        .hasToString(
            "ServerAddress[127.0.0.1:7420, plaintext, BearerCredentials[hpx_0123456789AB]]");
    assertThat(ServerAddress.ofVariables(Map.of("HAPAX_API_KEY_FILE", file)))
        .asString()
        .contains("hpx_0123456789AB]")
        .doesNotContain(key);
    assertThat(ServerAddress.ofVariables(Map.of("HAPAX_JWT_FILE", jwt)))
        .hasToString("ServerAddress[127.0.0.1:7420, plaintext, BearerCredentials[JWT]]");

    assertThatThrownBy(() -> Hapax.builder(Map.of("HAPAX_API_KEY", "hpx_")))
        .hasMessageStartingWith("HAPAX_API_KEY is not an API key");
    assertThatThrownBy(() -> Hapax.builder(Map.of("HAPAX_TLS", "yes")))
        .hasMessage("HAPAX_TLS must be true or false (was yes)");
    assertThatThrownBy(
            () -> Hapax.builder(Map.of("HAPAX_API_KEY", key, "HAPAX_API_KEY_FILE", file)))
        .hasMessage("HAPAX_API_KEY and HAPAX_API_KEY_FILE are set; keep only one of them");
  }

  @Test
  @DisplayName("given settings beside the variables, then the settings win, and TLS stays")
  void settings() {
    ServerAddress plain = ServerAddress.ofVariables(Map.of("HAPAX_SERVER", "a:1"));
    ServerAddress secure = ServerAddress.ofVariables(Map.of("HAPAX_TLS", "true"));

    assertThat(plain.server("b:2")).hasToString("ServerAddress[b:2, plaintext]");
    assertThat(plain.server("https://example.com:2"))
        .hasToString("ServerAddress[example.com:2, TLS]");
    assertThat(plain.tls().isTls()).isTrue();
    assertThat(secure.server("b:2")).hasToString("ServerAddress[b:2, TLS]");
    assertThat(secure.plaintext().isTls()).isFalse();
    assertThat(secure.apiKey(FakeAccess.FIRST_KEY).apiKey(FakeAccess.SECOND_KEY))
        .asString()
        .contains("hpx_zzzzzzzzzzzz")
        .doesNotContain("hpx_0123456789AB");
  }

  @Test
  @DisplayName("given several servers, then they are a list, and https:// before one is for all")
  void list() {
    Map<String, String> variables = Map.of("HAPAX_SERVER", "https://a.example:1, b.example:2");
    assertThat(ServerAddress.ofVariables(variables))
        .hasToString("ServerAddress[a.example:1,b.example:2, TLS]");
    assertThat(ServerAddress.ofVariables(Map.of()).server("[::1]:1,b:2"))
        .hasToString("ServerAddress[[::1]:1,b:2, plaintext]");
    assertThat(ServerAddress.ofVariables(Map.of()).server("a:1,https://b.example:2").isTls())
        .isTrue();

    for (String malformed : List.of("a:1,", "a:1,b", "a:1,::1", "a:1,b:0", "a:1,dns:///b:2")) {
      assertThatThrownBy(() -> to(malformed))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "server must be HOST:PORT, or a list HOST:PORT,HOST:PORT (was " + malformed + ")");
    }
  }

  @Test
  @DisplayName("given files that are no certificate or key, then the error names the file")
  void files() throws IOException {
    Path missing = folder.resolve("missing");
    Path text = Files.writeString(folder.resolve("text"), "text");

    assertThatThrownBy(to("localhost:1").caFile(missing)::connect)
        .hasMessage("the certificate authority file " + missing + " does not exist");
    assertThatThrownBy(to("localhost:1").caFile(text)::connect)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the certificate authority file " + text);
    assertThatThrownBy(to("localhost:1").clientCertificate(authority(), text)::connect)
        .hasMessageStartingWith(
            "the client's private key " + text + " holds no private key in PKCS#8");
    assertThatThrownBy(() -> to("http://127.0.0.1:1"))
        .hasMessageStartingWith("server must be HOST:PORT, without http:");
  }

  @Test
  @DisplayName("given a caller without a role, then the exception says so")
  void denied() throws IOException {
    hapax.access.deny();
    String server = "127.0.0.1:" + serve(InsecureServerCredentials.create());

    assertThatThrownBy(() -> start(to(server).plaintext()))
        .isInstanceOf(HapaxException.PermissionDenied.class)
        .hasCauseInstanceOf(StatusRuntimeException.class)
        .hasMessageContaining("the caller needs a role that permits it");
  }
}
