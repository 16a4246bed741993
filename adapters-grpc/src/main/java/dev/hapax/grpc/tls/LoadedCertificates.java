package dev.hapax.grpc.tls;

import java.time.Instant;

/** What was read from files of certificates. */
sealed interface LoadedCertificates permits ServerIdentity, CertificateList {
  /** Returns when the first certificate expires. */
  Instant expires();
}
