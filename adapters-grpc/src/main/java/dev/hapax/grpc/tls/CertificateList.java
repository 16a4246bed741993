package dev.hapax.grpc.tls;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/** Certificates without keys. */
record CertificateList(List<X509Certificate> certificates) implements LoadedCertificates {
  CertificateList {
    certificates = List.copyOf(certificates);
  }

  /** Reads the authorities of clients that have not expired; old ones may stay in the file. */
  static CertificateList unexpired(PemFile file, Instant now) throws InvalidCertificateException {
    var all = new CertificateList(file.certificates());
    var unexpired =
        all.certificates.stream()
            .filter(certificate -> !now.isAfter(certificate.getNotAfter().toInstant()))
            .toList();
    if (unexpired.isEmpty()) {
      throw new InvalidCertificateException(file.path(), "expired at " + all.expires());
    }
    return new CertificateList(unexpired);
  }

  @Override
  public Instant expires() {
    return certificates.stream()
        .map(certificate -> certificate.getNotAfter().toInstant())
        .min(Instant::compareTo)
        .orElse(Instant.MAX);
  }
}
