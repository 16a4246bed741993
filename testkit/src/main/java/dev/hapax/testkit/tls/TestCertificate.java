package dev.hapax.testkit.tls;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A certificate with its key.
 *
 * @param chain the certificate first, then its issuers without the root
 */
public record TestCertificate(KeyPair keys, List<X509Certificate> chain) {
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
