package dev.hapax.grpc.tls;

import java.time.Instant;

/**
 * The certificates in use.
 *
 * @param expires when the first of them expires
 * @param reloads how often changed files were loaded
 * @param rejections how often changed files could not be used
 */
public record CertificateStatus(
    CertificateUse use, Instant expires, long reloads, long rejections) {

  CertificateStatus reloaded(Instant end) {
    return new CertificateStatus(use, end, reloads + 1, rejections);
  }

  CertificateStatus expiring(Instant end) {
    return new CertificateStatus(use, end, reloads, rejections);
  }

  CertificateStatus rejected() {
    return new CertificateStatus(use, expires, reloads, rejections + 1);
  }
}
