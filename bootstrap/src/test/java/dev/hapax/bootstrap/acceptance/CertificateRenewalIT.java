package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.config.ConfigReader;
import dev.hapax.bootstrap.process.FreePort;
import dev.hapax.bootstrap.server.Server;
import dev.hapax.testkit.postgres.TestDatabase;
import dev.hapax.testkit.tls.ConnectionLoad;
import dev.hapax.testkit.tls.TestCertificate;
import dev.hapax.testkit.tls.TestCertificates;
import dev.hapax.testkit.tls.TestCertificates.Request;
import dev.hapax.testkit.tls.TlsClient;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.MonitoringServiceGrpc;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a server that runs, polled by its own clock. */
@Tag("nightly")
class CertificateRenewalIT {
  private static final Duration PROMISED = Duration.ofSeconds(15);

  /** A busy machine may take longer, once. */
  private static final Duration SEEN = Duration.ofSeconds(45);

  private final TestCertificates authority = TestCertificates.authority("servers");
  private final TlsClient client = TlsClient.of(authority, Optional.empty());
  @TempDir private Path folder = Path.of("");

  @Test
  @Tag("A3")
  @DisplayName(
      "given a server under load, when its files change, then within 15 s handshakes and metrics"
          + " show it, and no call fails")
  void renewal() throws Exception {
    var first = authority.issue(request());
    first.writeTo(folder);
    Files.writeString(folder.resolve("ca.crt"), authority.pem());
    try (var database = TestDatabase.create();
        var server = serve(database);
        var load = ConnectionLoad.start(() -> new ServerInfoConnection(channel(server)))) {
      var port = server.address().port();
      assertThat(client.connect(port)).isEqualTo(first.certificate());
      assertThat(metric("hapax_certificate_expires_timestamp_seconds{use=\"server\"}"))
          .isEqualTo((double) first.certificate().getNotAfter().toInstant().getEpochSecond());

      var sameKey = authority.issue(request().withKeys(first.keys()));
      Files.writeString(folder.resolve("tls.crt"), sameKey.certificatePem());
      var times = new ArrayList<Duration>();
      times.add(awaitCertificate(port, sameKey));

      var newKey = authority.issue(request());
      newKey.writeTo(folder);
      times.add(awaitCertificate(port, newKey));
      var loaded = metric("hapax_certificate_reloads_total{outcome=\"loaded\",use=\"server\"}");
      assertThat(loaded).isEqualTo(2);

      var mismatches = rejected();
      Files.writeString(folder.resolve("tls.key"), first.keyPem());
      Condition.await("a mismatched pair is rejected", SEEN, () -> rejected() > mismatches);
      assertThat(client.connect(port)).isEqualTo(newKey.certificate());

      var expired = rejected();
      var now = Instant.now();
      authority
          .issue(request().valid(now.minus(Duration.ofDays(2)), now.minusSeconds(60)))
          .writeTo(folder);
      Condition.await("an expired one is rejected", SEEN, () -> rejected() > expired);
      assertThat(client.connect(port)).isEqualTo(newKey.certificate());

      var soon =
          authority.issue(
              request().valid(now.minus(Duration.ofDays(2)), now.plus(Duration.ofHours(1))));
      soon.writeTo(folder);
      times.add(awaitCertificate(port, soon));
      assertThat(metric("hapax_certificate_expires_timestamp_seconds{use=\"server\"}"))
          .as("the alert that pages has its condition")
          .isLessThan((double) Instant.now().plus(Duration.ofDays(1)).getEpochSecond());

      var last = authority.issue(request());
      last.writeTo(folder);
      times.add(awaitCertificate(port, last));
      var expires = last.certificate().getNotAfter().toInstant().toString();
      Condition.await(
          "the heartbeat reports it",
          SEEN,
          () -> database.query("SELECT facts FROM hapax.node").contains(expires));
      assertThat(times).anyMatch(time -> time.compareTo(PROMISED) < 0);
      assertThat(load.calls()).isPositive();
      assertThat(load.failures()).isEmpty();
    }
  }

  private ManagedChannel channel(Server server) {
    var trust = TlsChannelCredentials.newBuilder();
    try {
      trust.trustManager(folder.resolve("ca.crt").toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    // a retry would hide a failure
    return Grpc.newChannelBuilder(server.address().toString(), trust.build())
        .disableRetry()
        .build();
  }

  private record ServerInfoConnection(ManagedChannel channel)
      implements ConnectionLoad.LoadedConnection {
    @Override
    public void call() {
      var _ =
          MonitoringServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .getServerInfo(GetServerInfoRequest.getDefaultInstance());
    }

    @Override
    public void close() {
      channel.shutdownNow();
    }
  }

  private static Request request() {
    return Request.of("localhost", "127.0.0.1");
  }

  /** Returns how long it took. */
  private Duration awaitCertificate(int port, TestCertificate expected) {
    var start = System.nanoTime();
    Condition.await(
        "the new certificate is used",
        SEEN,
        () -> {
          try {
            return client.connect(port).equals(expected.certificate());
          } catch (IOException e) {
            throw new AssertionError("a handshake failed", e);
          }
        });
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private double rejected() {
    return metric("hapax_certificate_reloads_total{outcome=\"rejected\",use=\"server\"}");
  }

  private double metric(String sample) {
    return new Probe(URI.create("http://127.0.0.1:" + metricsPort)).metric(sample);
  }

  private int metricsPort;

  private Server serve(TestDatabase database) throws Exception {
    metricsPort = FreePort.next();
    var flags = new HashMap<String, String>();
    flags.put("listen", "127.0.0.1:0");
    flags.put("metrics-listen", "127.0.0.1:" + metricsPort);
    flags.put("tls-cert", folder.resolve("tls.crt").toString());
    flags.put("tls-key", folder.resolve("tls.key").toString());
    flags.put("database-url", database.url());
    flags.put("allow-unsafe-database", "true");
    flags.put("drain", "1s");
    return Server.start(ConfigReader.read(flags, Map.of(), Optional.empty()));
  }
}
