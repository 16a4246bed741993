package dev.hapax.testkit.tls;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A certificate with its key.
 *
 * @param chain the certificate first, then its issuers without the root
 */
public record TestCertificate(KeyPair keys, List<X509Certificate> chain) {
  private static final String P_256 = "1.2.840.10045.3.1.7";
  private static final int P_256_BYTES = 32;
  private static final Base64.Encoder LINES =
      Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));

  public TestCertificate {
    chain = List.copyOf(chain);
  }

  /** Returns the certificate itself. */
  public X509Certificate certificate() {
    return chain.getFirst();
  }

  /** Returns the chain in PEM. */
  public String certificatePem() {
    return chain.stream().map(TestCertificate::pem).collect(Collectors.joining());
  }

  /** Returns the key in PEM, as PKCS#8. */
  public String keyPem() {
    return pem("PRIVATE KEY", keys.getPrivate().getEncoded());
  }

  /** Returns the key in PEM as older programs write it: PKCS#1 for RSA, SEC 1 for EC. */
  public String olderKeyPem() {
    return switch (keys.getPrivate()) {
      case RSAPrivateCrtKey key ->
          pem(
              "RSA PRIVATE KEY",
              numbers(
                  BigInteger.ZERO,
                  key.getModulus(),
                  key.getPublicExponent(),
                  key.getPrivateExponent(),
                  key.getPrimeP(),
                  key.getPrimeQ(),
                  key.getPrimeExponentP(),
                  key.getPrimeExponentQ(),
                  key.getCrtCoefficient()));
      case ECPrivateKey key ->
          pem(
              "EC PRIVATE KEY",
              Der.sequence(
                  Der.integer(BigInteger.ONE),
                  Der.octets(secret(key)),
                  Der.tagged(0xA0, Der.oid(P_256))));
      default -> throw new IllegalStateException(keys.getPrivate().getAlgorithm());
    };
  }

  private static byte[] numbers(BigInteger... numbers) {
    return Der.sequence(Stream.of(numbers).map(Der::integer).toArray(byte[][]::new));
  }

  private static byte[] secret(ECPrivateKey key) {
    var digits = key.getS().toByteArray();
    var secret = new byte[P_256_BYTES];
    int length = Math.min(digits.length, P_256_BYTES);
    System.arraycopy(digits, digits.length - length, secret, P_256_BYTES - length, length);
    return secret;
  }

  /** Writes the chain into {@code tls.crt} and the key into {@code tls.key}. */
  public void writeTo(Path folder) {
    try {
      Files.writeString(folder.resolve("tls.crt"), certificatePem());
      var key = folder.resolve("tls.key");
      Files.deleteIfExists(key);
      // clients and PostgreSQL refuse a key that others can read
      var onlyOwner =
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
      Files.writeString(Files.createFile(key, onlyOwner), keyPem());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write a certificate into " + folder, e);
    }
  }

  /** Returns a certificate in PEM. */
  public static String pem(X509Certificate certificate) {
    try {
      return pem("CERTIFICATE", certificate.getEncoded());
    } catch (CertificateEncodingException e) {
      throw new IllegalStateException("the certificate cannot be encoded", e);
    }
  }

  /** Returns a block in PEM. */
  public static String pem(String type, byte[] der) {
    return "-----BEGIN %s-----%n%s%n-----END %s-----%n"
        .formatted(type, LINES.encodeToString(der), type);
  }
}
