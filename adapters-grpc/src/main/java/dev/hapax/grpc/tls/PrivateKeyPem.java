package dev.hapax.grpc.tls;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Reads a private key in the forms that OpenSSL and cert-manager write: PKCS#8, and the older ones
 * of RSA (PKCS#1) and EC (SEC 1), which Java reads only as a part of PKCS#8.
 */
final class PrivateKeyPem {
  private static final int INTEGER = 0x02;
  private static final int OCTETS = 0x04;
  private static final int SEQUENCE = 0x30;
  private static final int PARAMETERS = 0xA0;
  private static final int LONG_FORM = 0x80;
  private static final byte[] VERSION = der(INTEGER, new byte[1]);
  private static final byte[] RSA_ALGORITHM =
      HexFormat.of().parseHex("300d06092a864886f70d0101010500");
  private static final byte[] EC_ALGORITHM = HexFormat.of().parseHex("06072a8648ce3d0201");

  private PrivateKeyPem() {}

  static PrivateKey read(PemFile file) throws InvalidCertificateException {
    for (var block : file.blocks()) {
      if (block.type().endsWith("PRIVATE KEY")) {
        return key(file, block);
      }
    }
    throw new InvalidCertificateException(
        file.path(), "has no private key in PEM, which begins with -----BEGIN PRIVATE KEY-----");
  }

  private static PrivateKey key(PemFile file, PemFile.Block block)
      throws InvalidCertificateException {
    if (block.type().contains("ENCRYPTED") || block.body().contains("ENCRYPTED")) {
      throw new InvalidCertificateException(
          file.path(),
          "is encrypted: decrypt it, `openssl pkcs8 -topk8 -nocrypt -in ENCRYPTED -out KEY`, and let"
              + " only the user of the server read it");
    }
    var encoded = file.decode(block);
    try {
      return switch (block.type()) {
        case "PRIVATE KEY" -> ofPkcs8(encoded);
        case "RSA PRIVATE KEY" ->
            ofPkcs8(der(SEQUENCE, VERSION, RSA_ALGORITHM, der(OCTETS, encoded)));
        case "EC PRIVATE KEY" ->
            ofPkcs8(
                der(
                    SEQUENCE,
                    VERSION,
                    der(SEQUENCE, EC_ALGORITHM, curve(encoded)),
                    der(OCTETS, encoded)));
        default -> throw new InvalidKeySpecException(block.type());
      };
    } catch (InvalidKeySpecException | BufferUnderflowException _) {
      throw new InvalidCertificateException(
          file.path(),
          "has no RSA or EC key that can be read: convert it, `openssl pkcs8 -topk8 -nocrypt -in"
              + " KEY -out NEW`");
    }
  }

  private static PrivateKey ofPkcs8(byte[] encoded) throws InvalidKeySpecException {
    for (var algorithm : List.of("RSA", "EC")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
      } catch (InvalidKeySpecException _) {
        // perhaps the other algorithm
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("this JDK has no keys of " + algorithm, e);
      }
    }
    throw new InvalidKeySpecException("neither RSA nor EC");
  }

  /** Returns the name of the curve, which SEC 1 has behind a version and the secret number. */
  private static byte[] curve(byte[] encoded) throws InvalidKeySpecException {
    var parts = content(ByteBuffer.wrap(encoded), SEQUENCE);
    content(parts, INTEGER);
    content(parts, OCTETS);
    var name = content(parts, PARAMETERS);
    var encodedName = new byte[name.remaining()];
    name.get(encodedName);
    return encodedName;
  }

  /** Reads a value and returns its content. */
  private static ByteBuffer content(ByteBuffer from, int tag) throws InvalidKeySpecException {
    if ((from.get() & 0xFF) != tag) {
      throw new InvalidKeySpecException("another tag than " + tag);
    }
    int length = from.get() & 0xFF;
    if (length == (LONG_FORM | 1)) {
      length = from.get() & 0xFF;
    }
    if (length > from.remaining()) {
      throw new InvalidKeySpecException("too short");
    }
    var content = from.duplicate().limit(from.position() + length);
    from.position(from.position() + length);
    return content;
  }

  private static byte[] der(int tag, byte[]... contents) {
    var content = new ByteArrayOutputStream();
    Arrays.stream(contents).forEach(content::writeBytes);
    var result = new ByteArrayOutputStream();
    result.write(tag);
    if (content.size() >= LONG_FORM) {
      // as BigInteger writes it, a length of 128 or more has a leading zero, which is allowed
      var length = BigInteger.valueOf(content.size()).toByteArray();
      result.write(LONG_FORM | length.length);
      result.writeBytes(length);
    } else {
      result.write(content.size());
    }
    result.writeBytes(content.toByteArray());
    return result.toByteArray();
  }
}
