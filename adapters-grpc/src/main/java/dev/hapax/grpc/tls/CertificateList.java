package dev.hapax.grpc.tls;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/** Certificates without keys. */
record CertificateList(List<X509Certificate> certificates) implements LoadedCertificates {
  CertificateList {
    certificates = List.copyOf(certificates);
  }

  /** Reads the authorities of clients; old ones may stay in the file. */
  static CertificateList authorities(PemFile file, Instant now) throws InvalidCertificateException {
    var all = new CertificateList(file.certificates());
    if (all.unexpired(now).certificates.isEmpty()) {
      throw new InvalidCertificateException(file.path(), "expired at " + all.expires());
    }
    return all;
  }

  /** Returns those that have not expired, perhaps none. */
  CertificateList unexpired(Instant now) {
    return new CertificateList(
        certificates.stream()
            .filter(certificate -> !LoadedCertificates.isExpired(certificate, now))
            .toList());
  }
}
