package dev.hapax.grpc.tls;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.hapax.testkit.tls.TestCertificate;
import dev.hapax.testkit.tls.TestCertificates;
import dev.hapax.testkit.tls.TestCertificates.Request;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class CertificateFilesTest {
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(CertificateFiles.class);

  private final TestCertificates authority = TestCertificates.authority("root");
  private final Instant now = Instant.now();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  @TempDir private Path folder = Path.of("");

  @BeforeEach
  void listen() {
    log.start();
    LOGGER.addAppender(log);
    LOGGER.setLevel(Level.INFO);
  }

  @AfterEach
  void stopListening() {
    LOGGER.detachAppender(log);
    LOGGER.setLevel(null);
  }

  @Test
  @DisplayName("given files that do not change, when polled, then nothing is loaded or logged")
  void unchanged() throws Exception {
    var files = open(authority.issue("localhost"));
    files.poll(now);
    files.poll(now);

    assertThat(log.list).isEmpty();
    assertThat(files.status().reloads()).isZero();
  }

  @Test
  @DisplayName("given a pair that does not match, then it is logged once, and its end as well")
  void logsChangesOfState() throws Exception {
    var first = authority.issue("localhost");
    var files = open(first);
    Files.writeString(folder.resolve("tls.key"), authority.issue("localhost").keyPem());
    files.poll(now);
    files.poll(now);
    Files.writeString(folder.resolve("tls.key"), first.keyPem());
    files.poll(now);
    files.poll(now);

    assertThat(lines())
        .containsExactly(
            "WARN TLS certificate (server) of %s: not loaded, the one that expires at %s stays in use: %s is not the key of the certificate in %s"
                .formatted(
                    folder.resolve("tls.crt"),
                    first.certificate().getNotAfter().toInstant(),
                    folder.resolve("tls.key"),
                    folder.resolve("tls.crt")),
            "INFO TLS certificate (server) of %s: the files have the certificate in use again"
                .formatted(folder.resolve("tls.crt")));
    assertThat(files.status().rejections()).isEqualTo(1);
    assertThat(files.status().reloads()).isZero();
  }

  @Test
  @DisplayName("given a certificate of the future, when its time has come, then it is loaded")
  void waitsForItsTime() throws Exception {
    var files = open(authority.issue("localhost"));
    var begin = now.plusSeconds(60);
    var next =
        authority.issue(Request.of("localhost").valid(begin, begin.plus(Duration.ofDays(1))));
    next.writeTo(folder);
    files.poll(now);
    assertThat(files.status().rejections()).isEqualTo(1);
    files.poll(begin.plusSeconds(1));

    assertThat(files.status().reloads()).isEqualTo(1);
    assertThat(files.status().expires()).isEqualTo(next.certificate().getNotAfter().toInstant());
  }

  @Test
  @DisplayName("given the certificate in use expires, then it is logged once")
  void expires() throws Exception {
    var files = open(authority.issue("localhost"));
    var after = files.status().expires().plusSeconds(1);
    files.poll(after);
    files.poll(after);

    assertThat(lines()).hasSize(1).first().asString().startsWith("ERROR").contains("expired at");
  }

  @Test
  @DisplayName("given authorities of which one expires, then the log names it once")
  void namesTheExpiredOne() throws Exception {
    var end = now.plusSeconds(60).truncatedTo(ChronoUnit.SECONDS);
    var old = TestCertificates.authority(Request.of("old").valid(now.minusSeconds(60), end));
    var file = Files.writeString(folder.resolve("clients.crt"), old.pem() + authority.pem());
    authority.issue("localhost").writeTo(folder);
    var files =
        ServerTls.open(
                new TlsFiles(
                    folder.resolve("tls.crt"),
                    folder.resolve("tls.key"),
                    Optional.of(new TlsFiles.Clients(file, true))),
                now)
            .files()
            .getLast();
    assertThat(files.status().expires()).isEqualTo(end);
    files.poll(end.plusSeconds(1));
    files.poll(end.plusSeconds(2));

    var left = files.status().expires();
    assertThat(lines())
        .containsExactly(
            "ERROR TLS certificate (client-ca) of %s: CN=old expired at %s, renew it"
                .formatted(file, end),
            "WARN TLS certificate (client-ca) of %s: 1 certificates are left, the first expires at %s"
                .formatted(file, left));
    assertThat(left).isAfter(end);
    files.poll(left.plusSeconds(1));
    assertThat(lines()).hasSize(4).last().asString().startsWith("ERROR").contains("refused");
    assertThat(files.status().expires()).isEqualTo(left);
  }

  @Test
  @DisplayName("given a file that is missing for a while, then the certificate stays in use")
  void missing() throws Exception {
    var first = authority.issue("localhost");
    var files = open(first);
    Files.delete(folder.resolve("tls.crt"));
    files.poll(now);
    first.writeTo(folder);
    files.poll(now);

    assertThat(lines().getFirst()).contains("tls.crt does not exist");
    assertThat(lines()).hasSize(2);
  }

  private CertificateFiles<?> open(TestCertificate certificate) throws Exception {
    certificate.writeTo(folder);
    return new CertificateFiles<>(
        CertificateUse.SERVER,
        List.of(folder.resolve("tls.crt"), folder.resolve("tls.key")),
        (files, time) -> ServerIdentity.of(files.getFirst(), files.getLast(), time),
        now);
  }

  private List<String> lines() {
    return log.list.stream()
        .map(event -> event.getLevel() + " " + event.getFormattedMessage())
        .toList();
  }
}
