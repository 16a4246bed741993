package dev.hapax.grpc.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/** The content of a file with certificates or a key in PEM. */
record PemFile(Path path, String content) {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);
  private static final Base64.Decoder BASE64 = Base64.getMimeDecoder();

  /**
   * A part of the file.
   *
   * @param body base64, which may follow header lines
   */
  record Block(String type, String body) {}

  static PemFile read(Path path) throws InvalidCertificateException {
    try {
      // PEM is ASCII; whatever else stands between its blocks is ignored
      return new PemFile(path, Files.readString(path, StandardCharsets.ISO_8859_1));
    } catch (NoSuchFileException _) {
      throw new InvalidCertificateException(path, "does not exist");
    } catch (AccessDeniedException _) {
      throw new InvalidCertificateException(path, "cannot be read: permission denied");
    } catch (IOException e) {
      throw new InvalidCertificateException(
          path,
          Files.isDirectory(path)
              ? "is a folder, not a file"
              : "cannot be read: " + Objects.requireNonNullElse(e.getMessage(), "I/O error"));
    }
  }

  List<Block> blocks() {
    return BLOCK
        .matcher(content)
        .results()
        .map(match -> new Block(match.group(1), match.group(2)))
        .toList();
  }

  byte[] decode(Block block) throws InvalidCertificateException {
    try {
      return BASE64.decode(block.body());
    } catch (IllegalArgumentException _) {
      throw new InvalidCertificateException(path, "is damaged: no base64 in a " + block.type());
    }
  }

  /** Returns the certificates in their order, at least one. */
  List<X509Certificate> certificates() throws InvalidCertificateException {
    var certificates = new ArrayList<X509Certificate>();
    for (var block : blocks()) {
      if (block.type().equals("CERTIFICATE")) {
        certificates.add(certificate(decode(block), certificates.size() + 1));
      }
    }
    if (certificates.isEmpty()) {
      throw new InvalidCertificateException(
          path, "has no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----");
    }
    return certificates;
  }

  private X509Certificate certificate(byte[] der, int number) throws InvalidCertificateException {
    try {
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(der));
    } catch (CertificateException _) {
      throw new InvalidCertificateException(path, "is damaged at certificate " + number);
    }
  }

  @Override
  public String toString() {
    return "PemFile[" + path + "]";
  }
}
