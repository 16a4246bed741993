package dev.hapax.grpc.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.testkit.tls.TestCertificate;
import dev.hapax.testkit.tls.TestCertificates;
import dev.hapax.testkit.tls.TestCertificates.Request;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerIdentityTest {
  private final Instant now = Instant.now();
  private static final Duration DAY = Duration.ofDays(1);

  private final TestCertificates authority = TestCertificates.authority("root");
  private final TestCertificate issued = authority.issue("localhost");
  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName("given a certificate and its key, RSA or EC, when read, then it has both")
  void reads() throws Exception {
    var rsa =
        authority.issue(Request.of("localhost").withKeys(TestCertificates.newKeys("RSA", 2048)));
    for (var each : new TestCertificate[] {issued, rsa}) {
      for (var key : new String[] {each.keyPem(), each.olderKeyPem()}) {
        var identity = read(each.certificatePem(), key);

        assertThat(identity.chain()).isEqualTo(each.chain());
        assertThat(identity.key().getEncoded()).isNotEmpty();
        assertThat(identity.expires()).isEqualTo(each.certificate().getNotAfter().toInstant());
      }
    }
  }

  @Test
  @DisplayName("given one file with text, parameters, key and certificates, then each is found")
  void readsOneFile() throws Exception {
    var below = authority.subordinate("intermediate").issue("localhost");
    var parameters =
        "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
    var all = "issued to: ä\n" + parameters + below.olderKeyPem() + below.certificatePem();

    assertThat(read(all, all).chain()).hasSize(2);
  }

  @Test
  @DisplayName("given the key of another certificate, then the error names both files")
  void mismatched() {
    for (var other :
        new TestCertificate[] {
          authority.issue("localhost"),
          authority.issue(Request.of("x").withKeys(TestCertificates.newKeys("RSA", 2048)))
        }) {
      assertThatThrownBy(() -> read(issued.certificatePem(), other.keyPem()))
          .hasMessage(
              folder.resolve("tls.key")
                  + " is not the key of the certificate in "
                  + folder.resolve("tls.crt"));
    }
  }

  @Test
  @DisplayName("given certificates in another order than each before its issuer, then it is said")
  void wrongOrder() {
    var below = authority.subordinate("intermediate").issue("localhost");
    var leaf = TestCertificate.pem(below.chain().getFirst());
    var intermediate = TestCertificate.pem(below.chain().getLast());

    refused(intermediate + leaf, below.keyPem(), "in the wrong order: the server's first");
    refused(
        leaf + authority.pem() + intermediate,
        below.keyPem(),
        "in the wrong order: certificate 2 is not the issuer of certificate 1");
  }

  @Test
  @DisplayName("given a certificate or an issuer that is not valid now, then the time is said")
  void notValidNow() {
    var past = Request.of("localhost").valid(now.minus(DAY), now.minusSeconds(60));
    var future = Request.of("localhost").valid(now.plusSeconds(60), now.plus(DAY));

    refused(authority.issue(past), "tls.crt expired at 2");
    refused(authority.issue(future), "tls.crt is not valid before 2");
  }

  @Test
  @DisplayName("given an encrypted key, then the error has the command that decrypts it")
  void encrypted() {
    var command = "is encrypted: decrypt it, `openssl pkcs8 -topk8 -nocrypt";
    refused(
        issued.certificatePem(),
        issued.keyPem().replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY"),
        command);
    refused(
        issued.certificatePem(),
        """
        -----BEGIN RSA PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF

        AAAA
        -----END RSA PRIVATE KEY-----
        """,
        command);
  }

  @Test
  @DisplayName("given files that are no PEM, damaged or swapped, then the error says which and why")
  void damaged() {
    var certificate = issued.certificatePem();
    var key = issued.keyPem();
    refused(key, certificate, "tls.crt has no certificate in PEM");
    refused("", key, "tls.crt has no certificate in PEM");
    refused(certificate, "", "tls.key has no private key in PEM");
    refused(certificate.substring(0, 200), key, "tls.crt has no certificate in PEM");
    refused(TestCertificate.pem("CERTIFICATE", new byte[99]), key, "is damaged at certificate 1");
    refused(
        "-----BEGIN CERTIFICATE-----\nAAAAA\n-----END CERTIFICATE-----",
        key,
        "is damaged: no base64");
    var convert = "tls.key has no RSA or EC key that can be read: convert it, `openssl pkcs8";
    for (var type : new String[] {"PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"}) {
      refused(certificate, TestCertificate.pem(type, new byte[9]), convert);
      refused(certificate, TestCertificate.pem(type, new byte[] {0x30, 3, 2, 1}), convert);
    }
    refused(certificate, TestCertificate.pem("DSA PRIVATE KEY", new byte[9]), convert);
  }

  @Test
  @DisplayName("given a missing file or a folder, then the error says so")
  void missing() {
    var file = folder.resolve("missing.pem");
    assertThatThrownBy(() -> PemFile.read(file)).hasMessage(file + " does not exist");
    assertThatThrownBy(() -> PemFile.read(folder)).hasMessage(folder + " is a folder, not a file");
  }

  @Test
  @DisplayName("given a key, when printed, then nothing of it is shown")
  void hidesTheKey() throws Exception {
    var file = Files.writeString(folder.resolve("tls.key"), issued.keyPem());
    assertThat(PemFile.read(file).toString()).isEqualTo("PemFile[" + file + "]");
    assertThat(read(issued.certificatePem(), issued.keyPem()).toString()).doesNotContain("key");
  }

  private void refused(TestCertificate certificate, String message) {
    refused(certificate.certificatePem(), certificate.keyPem(), message);
  }

  private void refused(String certificate, String key, String message) {
    assertThatThrownBy(() -> read(certificate, key))
        .isInstanceOf(InvalidCertificateException.class)
        .hasMessageContaining(message);
  }

  private ServerIdentity read(String certificate, String key) throws Exception {
    return ServerIdentity.of(
        PemFile.read(Files.writeString(folder.resolve("tls.crt"), certificate)),
        PemFile.read(Files.writeString(folder.resolve("tls.key"), key)),
        now);
  }
}
