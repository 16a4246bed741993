package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.internal.SystemTiming;
import dev.hapax.client.run.RunRequest;
import dev.hapax.testkit.tls.TestCertificates;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
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

/** Channels to servers that listen on loopback, with and without TLS. */
@Timeout(60)
class HapaxChannelTest {

  private static final TestCertificates AUTHORITY = TestCertificates.authority("test");

  @TempDir private Path folder = Path.of("");
  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private final List<Server> servers = new ArrayList<>();
  private final List<ManagedChannel> channels = new ArrayList<>();

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
    channels.forEach(ManagedChannel::shutdownNow);
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

  private String start(HapaxChannel to) {
    ManagedChannel channel = to.open();
    channels.add(channel);
    return HapaxClient.on(channel, ClientOptions.DEFAULT.withCallTimeout(Duration.ofMillis(1)))
        .runs()
        .start(RunRequest.of("order"))
        .getRun()
        .getId();
  }

  @Test
  @DisplayName("given a server with TLS, when its authority is trusted, then calls carry the key")
  void tls() throws IOException {
    hapax.access.accept(FakeAccess.FIRST_KEY);
    String server = "localhost:" + serve(tls("localhost"));
    HapaxChannel trusting = HapaxChannel.to(server).withCertificateAuthority(authority());

    assertThat(start(trusting.withApiKey(FakeAccess.FIRST_KEY))).isNotEmpty();
    assertThatThrownBy(() -> start(trusting.withApiKey(FakeAccess.SECOND_KEY)))
        .isInstanceOf(HapaxException.Unauthenticated.class)
        .hasMessageContaining("unknown API key")
        .message()
        .doesNotContain(FakeAccess.SECOND_KEY);
    assertThatThrownBy(() -> start(trusting)).isInstanceOf(HapaxException.Unauthenticated.class);
  }

  @Test
  @DisplayName("given a server with TLS, when it cannot be trusted, then no call reaches it")
  void untrusted() throws IOException {
    String unknown = "localhost:" + serve(tls("localhost"));
    assertThatThrownBy(() -> start(HapaxChannel.to(unknown)))
        .isInstanceOf(HapaxException.Unavailable.class)
        .hasRootCauseInstanceOf(CertPathBuilderException.class);

    String other = "localhost:" + serve(tls("elsewhere.invalid"));
    assertThatThrownBy(() -> start(HapaxChannel.to(other).withCertificateAuthority(authority())))
        .isInstanceOf(HapaxException.Unavailable.class)
        .hasRootCauseInstanceOf(CertificateException.class)
        .rootCause()
        .hasMessageContaining("localhost");

    String plain = "localhost:" + serve(InsecureServerCredentials.create());
    assertThatThrownBy(() -> start(HapaxChannel.to(plain)))
        .isInstanceOf(HapaxException.Unavailable.class);
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
    HapaxChannel channel =
        HapaxChannel.to("https://127.0.0.1:" + port).withCertificateAuthority(authority());

    assertThatThrownBy(() -> start(channel)).isInstanceOf(HapaxException.Unavailable.class);
    assertThat(start(channel.withClientCertificate(own.resolve("tls.crt"), own.resolve("tls.key"))))
        .isNotEmpty();
  }

  @Test
  @DisplayName("given a plaintext server on loopback, then the key is sent, also to a new one")
  void plaintext() throws Exception {
    hapax.access.accept(FakeAccess.FIRST_KEY);
    String server = "127.0.0.1:" + serve(InsecureServerCredentials.create());
    Path file = Files.writeString(folder.resolve("key"), FakeAccess.FIRST_KEY);
    ManagedChannel channel = HapaxChannel.to(server).plaintext().withApiKeyFile(file).open();
    channels.add(channel);
    HapaxClient client = HapaxClient.on(channel);
    client.runs().start(RunRequest.of("order"));

    Files.writeString(file, FakeAccess.SECOND_KEY);
    hapax.access.accept(FakeAccess.SECOND_KEY);
    Conditions.until(
        () -> {
          try {
            return !client.runs().start(RunRequest.of("order")).getRun().getId().isEmpty();
          } catch (HapaxException.Unauthenticated old) {
            return false;
          }
        });
  }

  @Test
  @DisplayName("given the variables of the command, then they describe the same channel")
  void environment() throws IOException {
    String key = FakeAccess.FIRST_KEY;
    String file = Files.writeString(folder.resolve("key"), key).toString();
    String authority = authority().toString();

    assertThat(HapaxChannel.fromEnvironment(Map.of()))
        .hasToString("HapaxChannel[127.0.0.1:7420, plaintext]");
    assertThat(HapaxChannel.fromEnvironment(Map.of("HAPAX_SERVER", "a:1", "HAPAX_TLS", "true")))
        .hasToString("HapaxChannel[a:1, TLS]");
    assertThat(HapaxChannel.fromEnvironment(Map.of("HAPAX_SERVER", "https://127.0.0.1:1")))
        .hasToString("HapaxChannel[127.0.0.1:1, TLS]");
    assertThat(HapaxChannel.fromEnvironment(Map.of("HAPAX_TLS_CA", authority)))
        .hasToString("HapaxChannel[127.0.0.1:7420, TLS]");
    assertThat(HapaxChannel.fromEnvironment(Map.of("HAPAX_API_KEY", key)))
        .hasToString(
            "HapaxChannel[127.0.0.1:7420, plaintext, BearerCredentials[hpx_0123456789AB]]");
    assertThat(HapaxChannel.fromEnvironment(Map.of("HAPAX_API_KEY_FILE", file)))
        .asString()
        .contains("hpx_0123456789AB]")
        .doesNotContain(key);

    String jwt = Files.writeString(folder.resolve("jwt"), "aaa.bbb.ccc").toString();
    assertThat(HapaxChannel.fromEnvironment(Map.of("HAPAX_JWT_FILE", jwt)))
        .hasToString("HapaxChannel[127.0.0.1:7420, plaintext, BearerCredentials[JWT]]");

    assertThatThrownBy(() -> HapaxChannel.fromEnvironment(Map.of("HAPAX_API_KEY", "hpx_")))
        .hasMessageStartingWith("HAPAX_API_KEY is not an API key");
    assertThatThrownBy(() -> HapaxChannel.fromEnvironment(Map.of("HAPAX_TLS", "yes")))
        .hasMessage("HAPAX_TLS must be true or false (was yes)");
    assertThatThrownBy(
            () ->
                HapaxChannel.fromEnvironment(
                    Map.of("HAPAX_API_KEY", key, "HAPAX_API_KEY_FILE", file)))
        .hasMessage("HAPAX_API_KEY and HAPAX_API_KEY_FILE are set; keep only one of them");
  }

  @Test
  @DisplayName("given files that are no certificate or key, then the error names the file")
  void files() throws IOException {
    HapaxChannel channel = HapaxChannel.to("localhost:1");
    Path missing = folder.resolve("missing");
    Path text = Files.writeString(folder.resolve("text"), "text");

    assertThatThrownBy(channel.withCertificateAuthority(missing)::open)
        .hasMessage("the certificate authority file " + missing + " does not exist");
    assertThatThrownBy(channel.withCertificateAuthority(text)::open)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the certificate authority file " + text);
    assertThatThrownBy(channel.withClientCertificate(authority(), text)::open)
        .hasMessageStartingWith(
            "the client's private key " + text + " holds no private key in PKCS#8");
    assertThatThrownBy(() -> HapaxChannel.to("http://127.0.0.1:1"))
        .hasMessageStartingWith("server must be HOST:PORT, without http:");
  }

  @Test
  @DisplayName("given a caller without a role, then the exception says so")
  void denied() throws IOException {
    hapax.access.deny();
    String server = "127.0.0.1:" + serve(InsecureServerCredentials.create());
    assertThatThrownBy(() -> start(HapaxChannel.to(server).plaintext()))
        .isInstanceOf(HapaxException.PermissionDenied.class)
        .hasCauseInstanceOf(StatusRuntimeException.class)
        .hasMessageContaining("the caller needs a role that permits it");
  }
}
