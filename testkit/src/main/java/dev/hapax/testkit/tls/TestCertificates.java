package dev.hapax.testkit.tls;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** A certificate authority for tests; its certificates are for servers and clients alike. */
public final class TestCertificates {
  private static final Duration DAY = Duration.ofDays(1);
  private static final byte[] SIGNED_BY_EC = Der.sequence(Der.oid("1.2.840.10045.4.3.2"));

  private final KeyPair keys;

  /** The certificate of this authority, then its issuers; the last one is the root. */
  private final List<X509Certificate> path;

  private TestCertificates(KeyPair keys, List<X509Certificate> path) {
    this.keys = keys;
    this.path = path;
  }

  /**
   * What a certificate is issued for.
   *
   * @param names of its subject: host names, IP addresses and URIs; the first one is also its
   *     common name
   */
  public record Request(List<String> names, KeyPair keys, Instant from, Instant until) {
    public Request {
      names = List.copyOf(names);
    }

    /** A certificate for a new key, from an hour ago until tomorrow. */
    public static Request of(String... names) {
      var now = Instant.now();
      return new Request(
          List.of(names), newKeys("EC", 256), now.minus(Duration.ofHours(1)), now.plus(DAY));
    }

    public Request withKeys(KeyPair other) {
      return new Request(names, other, from, until);
    }

    public Request valid(Instant begin, Instant end) {
      return new Request(names, keys, begin, end);
    }
  }

  /** Creates an authority with a root certificate of its own. */
  public static TestCertificates authority(String name) {
    return authority(Request.of(name));
  }

  /** Creates an authority with this root certificate. */
  public static TestCertificates authority(Request request) {
    var keys = request.keys();
    var name = distinguished(request.names().getFirst());
    return new TestCertificates(keys, List.of(sign(request, name, keys.getPrivate(), true)));
  }

  /** Creates an authority below this one. */
  public TestCertificates subordinate(String name) {
    var request = Request.of(name);
    var certificate = sign(request, name(), keys.getPrivate(), true);
    return new TestCertificates(
        request.keys(), Stream.concat(Stream.of(certificate), path.stream()).toList());
  }

  /** Issues a certificate for host names, IP addresses and URIs. */
  public TestCertificate issue(String... names) {
    return issue(Request.of(names));
  }

  public TestCertificate issue(Request request) {
    var certificate = sign(request, name(), keys.getPrivate(), false);
    var issuers = path.subList(0, path.size() - 1);
    return new TestCertificate(
        request.keys(), Stream.concat(Stream.of(certificate), issuers.stream()).toList());
  }

  /** Returns the certificate of this authority. */
  public X509Certificate certificate() {
    return path.getFirst();
  }

  /** Returns the certificate of this authority in PEM. */
  public String pem() {
    return TestCertificate.pem(certificate());
  }

  /** Draws keys, such as {@code "EC", 256} or {@code "RSA", 2048}. */
  public static KeyPair newKeys(String algorithm, int bits) {
    try {
      var generator = KeyPairGenerator.getInstance(algorithm);
      generator.initialize(bits);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private byte[] name() {
    return certificate().getSubjectX500Principal().getEncoded();
  }

  private static X509Certificate sign(
      Request request, byte[] issuer, PrivateKey issuerKey, boolean isAuthority) {
    var subject = request.names().getFirst();
    var content =
        Der.sequence(
            Der.tagged(0xA0, Der.integer(BigInteger.TWO)),
            Der.integer(BigInteger.valueOf(System.nanoTime()).abs().add(BigInteger.ONE)),
            SIGNED_BY_EC,
            issuer,
            Der.sequence(Der.time(request.from()), Der.time(request.until())),
            distinguished(subject),
            request.keys().getPublic().getEncoded(),
            Der.tagged(0xA3, isAuthority ? ofAuthority() : ofSubject(request.names())));
    try {
      var signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(issuerKey);
      signature.update(content);
      var encoded = Der.sequence(content, SIGNED_BY_EC, Der.bits(signature.sign()));
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(encoded));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot issue a certificate for " + subject, e);
    }
  }

  private static byte[] distinguished(String name) {
    return Der.sequence(Der.set(Der.sequence(Der.oid("2.5.4.3"), Der.text(name))));
  }

  /** Basic constraints, and a key that signs certificates. */
  private static byte[] ofAuthority() {
    return Der.sequence(
        Der.sequence(Der.oid("2.5.29.19"), Der.yes(), Der.octets(Der.sequence(Der.yes()))),
        Der.sequence(
            Der.oid("2.5.29.15"), Der.yes(), Der.octets(Der.tagged(0x03, new byte[] {1, 6}))));
  }

  /** Alternative names, and the use by servers and clients. */
  private static byte[] ofSubject(List<String> names) {
    var alternatives = names.stream().map(TestCertificates::alternative).toArray(byte[][]::new);
    var uses = Der.sequence(Der.oid("1.3.6.1.5.5.7.3.1"), Der.oid("1.3.6.1.5.5.7.3.2"));
    return Der.sequence(
        Der.sequence(Der.oid("2.5.29.17"), Der.octets(Der.sequence(alternatives))),
        Der.sequence(Der.oid("2.5.29.37"), Der.octets(uses)));
  }

  private static byte[] alternative(String name) {
    try {
      if (name.matches("[0-9.]+|.*:.*:.*")) {
        return Der.tagged(0x87, InetAddress.getByName(name).getAddress());
      }
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(name, e);
    }
    var ascii = name.getBytes(StandardCharsets.US_ASCII);
    return Der.tagged(name.contains("://") ? 0x86 : 0x82, ascii);
  }
}
