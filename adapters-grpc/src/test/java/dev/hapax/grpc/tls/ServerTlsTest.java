package dev.hapax.grpc.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.grpc.server.GrpcServerConfig;
import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.testkit.tls.ConnectionLoad;
import dev.hapax.testkit.tls.TestCertificate;
import dev.hapax.testkit.tls.TestCertificates;
import dev.hapax.testkit.tls.TestCertificates.Request;
import dev.hapax.testkit.tls.TlsClient;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerTlsTest {
  private static final Duration DAY = Duration.ofDays(1);

  private final TestCertificates authority = TestCertificates.authority("servers");
  private final TestCertificates clients = TestCertificates.authority("clients");
  private final TestCertificate certificate = authority.issue("localhost", "127.0.0.1");
  private final TlsClient anonymous = TlsClient.of(authority, Optional.empty());
  @TempDir private Path folder = Path.of("");
  private Optional<ServerTls> tls = Optional.empty();
  private Optional<HapaxServer> server = Optional.empty();
  private int port;

  @AfterEach
  void stop() throws Exception {
    if (server.isPresent()) {
      server.get().stop();
    }
  }

  @Test
  @DisplayName("given TLS, then clients use 1.3 or 1.2, and neither older ones nor plaintext")
  void versions() throws Exception {
    start(Optional.empty());

    assertThat(anonymous.connect(port, "TLSv1.3")).isEqualTo(certificate.certificate());
    assertThat(anonymous.connect(port, "TLSv1.2")).isEqualTo(certificate.certificate());
    assertThatThrownBy(() -> anonymous.connect(port, "TLSv1.1")).isInstanceOf(IOException.class);
    try (var plaintext = new Socket(InetAddress.getLoopbackAddress(), port)) {
      plaintext
          .getOutputStream()
          .write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      // an alert, which is record type 21, or nothing
      assertThat(plaintext.getInputStream().read()).isIn(21, -1);
    }
    assertThatThrownBy(() -> TlsClient.of(clients, Optional.empty()).connect(port))
        .isInstanceOf(IOException.class);
  }

  @Test
  @DisplayName("given an RSA key and an intermediate authority, then clients of the root connect")
  void chain() throws Exception {
    var rsa =
        authority
            .subordinate("intermediate")
            .issue(
                Request.of("localhost", "127.0.0.1")
                    .withKeys(TestCertificates.newKeys("RSA", 2048)));
    rsa.writeTo(folder);
    open(Optional.empty());

    assertThat(anonymous.connect(port, "TLSv1.3")).isEqualTo(rsa.certificate());
    assertThat(anonymous.connect(port, "TLSv1.2")).isEqualTo(rsa.certificate());
  }

  @Test
  @DisplayName("given client certificates are required, then only clients with one connect")
  void required() throws Exception {
    start(Optional.of(new TlsFiles.Clients(authorities(clients), true)));

    assertThat(with(clients.issue("app")).connect(port)).isEqualTo(certificate.certificate());
    refused(anonymous);
    refused(with(authority.issue("app")));
    var now = Instant.now();
    refused(with(clients.issue(Request.of("app").valid(now.minus(DAY), now.minusSeconds(1)))));
  }

  @Test
  @DisplayName("given they are optional, then a client connects without one, not with a wrong one")
  void optional() throws Exception {
    start(Optional.of(new TlsFiles.Clients(authorities(clients), false)));

    anonymous.connect(port);
    with(clients.issue("app")).connect(port);
    refused(with(authority.issue("app")));
  }

  @Test
  @DisplayName("given another client authority, then sessions of the old one are not resumed")
  void replacedAuthority() throws Exception {
    start(Optional.of(new TlsFiles.Clients(authorities(clients), true)));
    var trusted = clients;
    for (var version : new String[] {"TLSv1.3", "TLSv1.2"}) {
      var old = with(trusted.issue("app"));
      old.connect(port, version);
      old.connect(port, version);
      trusted = TestCertificates.authority("clients, " + version);
      authorities(trusted);
      poll();

      assertThatThrownBy(() -> old.connect(port, version)).isInstanceOf(IOException.class);
      with(trusted.issue("app")).connect(port, version);
    }
  }

  @Test
  @Tag("A3")
  @DisplayName("given an authority expires, then its clients are refused, without another file")
  void expiredAuthority() throws Exception {
    var now = Instant.now();
    var hour = Duration.ofHours(1);
    var old = TestCertificates.authority(Request.of("old").valid(now.minus(hour), now.plus(hour)));
    var oldClient = with(old.issue("app"));
    start(
        Optional.of(
            new TlsFiles.Clients(
                Files.writeString(folder.resolve("clients.crt"), old.pem() + clients.pem()),
                true)));
    oldClient.connect(port);

    poll(now.plus(hour).plusSeconds(1));
    refused(oldClient);
    with(clients.issue("app")).connect(port);

    poll(now.plus(DAY).plus(hour));
    refused(with(clients.issue("app")));
    refused(anonymous);
  }

  @Test
  @Tag("A3")
  @DisplayName("given certificates change under load, then handshakes see it and no call fails")
  void renewal() throws Exception {
    start(Optional.empty());
    try (var load = ConnectionLoad.start(this::connect)) {
      var sameKey = authority.issue(request().withKeys(certificate.keys()));
      sameKey.writeTo(folder);
      seen(sameKey);

      var newKey = authority.issue(request());
      newKey.writeTo(folder);
      seen(newKey);

      Files.writeString(folder.resolve("tls.key"), authority.issue(request()).keyPem());
      seen(newKey);

      var now = Instant.now();
      authority.issue(request().valid(now.minus(DAY), now.minusSeconds(60))).writeTo(folder);
      seen(newKey);

      var last = authority.issue(request());
      last.writeTo(folder);
      seen(last);
      assertThat(load.calls()).isPositive();
      assertThat(load.failures()).isEmpty();
    }
    assertThat(status().reloads()).isEqualTo(3);
    assertThat(status().rejections()).isEqualTo(2);
  }

  @Test
  @Tag("A3")
  @DisplayName("given a symbolic link is swapped, as Kubernetes does, then handshakes see it")
  void symbolicLink() throws Exception {
    var first = Files.createDirectory(folder.resolve("1"));
    var second = Files.createDirectory(folder.resolve("2"));
    var data = Files.createSymbolicLink(folder.resolve("..data"), first);
    for (var file : new String[] {"tls.crt", "tls.key"}) {
      Files.createSymbolicLink(folder.resolve(file), Path.of("..data", file));
    }
    certificate.writeTo(first);
    var renewed = authority.issue(request());
    renewed.writeTo(second);
    // the times of the files say nothing
    for (var file : new String[] {"tls.crt", "tls.key"}) {
      Files.setLastModifiedTime(
          second.resolve(file), Files.getLastModifiedTime(first.resolve(file)));
    }
    open(Optional.empty());
    assertThat(anonymous.connect(port)).isEqualTo(certificate.certificate());

    var swapped = Files.createSymbolicLink(folder.resolve("..data_tmp"), second);
    Files.move(swapped, data, StandardCopyOption.ATOMIC_MOVE);
    seen(renewed);
  }

  private ConnectionLoad.LoadedConnection connect() {
    try {
      var roots = new ByteArrayInputStream(authority.pem().getBytes(StandardCharsets.US_ASCII));
      var credentials = TlsChannelCredentials.newBuilder().trustManager(roots).build();
      return new HealthConnection(
          Grpc.newChannelBuilderForAddress("127.0.0.1", port, credentials).build());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private record HealthConnection(ManagedChannel channel)
      implements ConnectionLoad.LoadedConnection {
    @Override
    public void call() {
      var _ =
          HealthGrpc.newBlockingStub(channel)
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .check(HealthCheckRequest.getDefaultInstance());
    }

    @Override
    public void close() {
      channel.shutdownNow();
    }
  }

  private static Request request() {
    return Request.of("localhost", "127.0.0.1");
  }

  private void seen(TestCertificate expected) throws IOException {
    poll();
    assertThat(anonymous.connect(port)).isEqualTo(expected.certificate());
  }

  private void refused(TlsClient client) {
    for (var version : new String[] {"TLSv1.3", "TLSv1.2"}) {
      assertThatThrownBy(() -> client.connect(port, version))
          .as(version)
          .isInstanceOf(IOException.class);
    }
    assertThatThrownBy(() -> client.connect(port)).isInstanceOf(IOException.class);
  }

  private TlsClient with(TestCertificate own) {
    return TlsClient.of(authority, Optional.of(own));
  }

  private Path authorities(TestCertificates trusted) throws IOException {
    return Files.writeString(folder.resolve("clients.crt"), trusted.pem());
  }

  private void poll() {
    poll(Instant.now());
  }

  private void poll(Instant now) {
    tls.orElseThrow().files().forEach(files -> files.poll(now));
  }

  private CertificateStatus status() {
    return tls.orElseThrow().files().getFirst().status();
  }

  private void start(Optional<TlsFiles.Clients> ofClients) throws Exception {
    certificate.writeTo(folder);
    open(ofClients);
  }

  private void open(Optional<TlsFiles.Clients> ofClients) throws Exception {
    var files = new TlsFiles(folder.resolve("tls.crt"), folder.resolve("tls.key"), ofClients);
    tls = Optional.of(ServerTls.open(files, Instant.now()));
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    var config = new GrpcServerConfig(address, false, Duration.ofMillis(100), tls);
    var started = new HapaxServer(config, Set.of(), Optional.empty(), Optional.empty());
    server = Optional.of(started);
    port = started.start();
  }
}
