package dev.hapax.grpc.tls;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * A certificate with its issuers and its key, which fit together.
 *
 * @param chain the server's certificate first, then its issuers, usually without the root
 */
record ServerIdentity(List<X509Certificate> chain, PrivateKey key) implements LoadedCertificates {
  private static final byte[] PROBE = "hapax".getBytes(StandardCharsets.US_ASCII);

  ServerIdentity {
    chain = List.copyOf(chain);
  }

  /** Reads both files; the certificates must be valid now. */
  static ServerIdentity of(PemFile certificate, PemFile key, Instant now)
      throws InvalidCertificateException {
    var identity = new ServerIdentity(certificate.certificates(), PrivateKeyPem.read(key));
    identity.requireKey(certificate, key);
    identity.requireOrder(certificate);
    identity.requireTime(certificate, now);
    return identity;
  }

  @Override
  public List<X509Certificate> certificates() {
    return chain;
  }

  private void requireKey(PemFile certificate, PemFile secret) throws InvalidCertificateException {
    if (isKeyOf(chain.getFirst())) {
      return;
    }
    if (chain.stream().anyMatch(this::isKeyOf)) {
      throw new InvalidCertificateException(
          certificate.path(),
          "has the certificates in the wrong order: the server's first, then each one's issuer");
    }
    throw new InvalidCertificateException(
        secret.path(), "is not the key of the certificate in " + certificate.path());
  }

  private void requireOrder(PemFile certificate) throws InvalidCertificateException {
    for (var index = 1; index < chain.size(); index++) {
      try {
        chain.get(index - 1).verify(chain.get(index).getPublicKey());
      } catch (GeneralSecurityException _) {
        throw new InvalidCertificateException(
            certificate.path(),
            String.format(
                Locale.ROOT,
                "has the certificates in the wrong order: certificate %d is not the issuer of certificate %d",
                index + 1,
                index));
      }
    }
  }

  private void requireTime(PemFile certificate, Instant now) throws InvalidCertificateException {
    for (var each : chain) {
      var begin = each.getNotBefore().toInstant();
      var end = each.getNotAfter().toInstant();
      if (now.isBefore(begin)) {
        throw new InvalidCertificateException(
            certificate.path(),
            "is not valid before " + begin + "; the clock of this machine says " + now);
      }
      if (now.isAfter(end)) {
        throw new InvalidCertificateException(certificate.path(), "expired at " + end);
      }
    }
  }

  private boolean isKeyOf(X509Certificate certificate) {
    var expected = certificate.getPublicKey();
    return expected.getAlgorithm().equals(key.getAlgorithm()) && signsFor(expected);
  }

  /** Other than the parts of the keys, a signature can be compared for every algorithm. */
  private boolean signsFor(PublicKey expected) {
    try {
      var signature =
          Signature.getInstance(
              "EC".equals(key.getAlgorithm()) ? "SHA256withECDSA" : "SHA256withRSA");
      signature.initSign(key);
      signature.update(PROBE);
      var signed = signature.sign();
      signature.initVerify(expected);
      signature.update(PROBE);
      return signature.verify(signed);
    } catch (GeneralSecurityException _) {
      return false;
    }
  }

  @Override
  public String toString() {
    return "ServerIdentity[" + chain.getFirst().getSerialNumber() + "]";
  }
}
