package dev.hapax.testkit.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.KeyStore;
import java.security.cert.CertificateExpiredException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TestCertificatesTest {
  private final TestCertificates authority = TestCertificates.authority("test root");

  @Test
  @DisplayName("given a certificate of an authority, then only that authority verifies it")
  void isAccepted() throws Exception {
    var issued = authority.issue("localhost", "127.0.0.1", "::1", "spiffe://test/app");

    assertThat(issued.certificate().getSubjectAlternativeNames())
        .containsExactlyInAnyOrder(
            List.of(2, "localhost"),
            List.of(7, "127.0.0.1"),
            List.of(7, "0:0:0:0:0:0:0:1"),
            List.of(6, "spiffe://test/app"));
    check(authority, issued);
    assertThatThrownBy(() -> check(TestCertificates.authority("test root"), issued))
        .hasMessageContaining("validation failed");
  }

  @Test
  @DisplayName("given an authority below another one, then the chain leads to the root")
  void hasAChain() throws Exception {
    var issued = authority.subordinate("test intermediate").issue("localhost");

    assertThat(issued.chain()).hasSize(2);
    check(authority, issued);
  }

  @Test
  @DisplayName("given RSA keys or an end in the past, then the certificate has them")
  void hasItsKeysAndTimes() {
    var now = Instant.now();
    var keys = TestCertificates.newKeys("RSA", 2048);
    var issued =
        authority.issue(
            TestCertificates.Request.of("localhost")
                .withKeys(keys)
                .valid(now.minus(Duration.ofDays(2)), now.minus(Duration.ofDays(1))));

    assertThat(issued.certificate().getPublicKey()).isEqualTo(keys.getPublic());
    assertThatThrownBy(() -> check(authority, issued))
        .hasRootCauseInstanceOf(CertificateExpiredException.class);
  }

  private static void check(TestCertificates authority, TestCertificate issued) throws Exception {
    var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    trusted.setCertificateEntry("root", authority.certificate());
    var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trusted);
    var manager = (X509TrustManager) factory.getTrustManagers()[0];
    manager.checkServerTrusted(issued.chain().toArray(X509Certificate[]::new), "ECDHE_ECDSA");
  }
}
