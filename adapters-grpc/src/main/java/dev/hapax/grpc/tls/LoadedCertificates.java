package dev.hapax.grpc.tls;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/** The content of certificate files. */
sealed interface LoadedCertificates permits ServerIdentity, CertificateList {
  List<X509Certificate> certificates();

  /** Returns when the first certificate expires. */
  default Instant expires() {
    return certificates().stream()
        .map(certificate -> certificate.getNotAfter().toInstant())
        .min(Instant::compareTo)
        .orElse(Instant.MAX);
  }

  static boolean isExpired(X509Certificate certificate, Instant now) {
    return now.isAfter(certificate.getNotAfter().toInstant());
  }
}
