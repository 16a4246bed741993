package dev.hapax.client.internal;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;

/** Reads the files of credentials; the errors name the file, never its content. */
public final class CredentialFiles {

  private CredentialFiles() {}

  /**
   * Returns the content of a text file.
   *
   * @param name of the file's purpose, such as {@code the API key file}
   */
  static String text(String name, Path file) {
    return new String(read(name, file), StandardCharsets.UTF_8);
  }

  /**
   * Returns the content of a file with certificates.
   *
   * @param name of the file's purpose, such as {@code the client certificate}
   */
  public static InputStream certificates(String name, Path file) {
    byte[] content = read(name, file);
    try {
      if (!CertificateFactory.getInstance("X.509")
          .generateCertificates(new ByteArrayInputStream(content))
          .isEmpty()) {
        return new ByteArrayInputStream(content);
      }
    } catch (CertificateException unreadable) {
      throw new IllegalArgumentException(
          name + " " + file + " is not a certificate in PEM: " + unreadable.getMessage(),
          unreadable);
    }
    throw new IllegalArgumentException(name + " " + file + " holds no certificate in PEM");
  }

  /** Returns the content of a file with a private key. */
  public static InputStream privateKey(String name, Path file) {
    byte[] content = read(name, file);
    if (!new String(content, StandardCharsets.ISO_8859_1).contains("-----BEGIN PRIVATE KEY-----")) {
      throw new IllegalArgumentException(
          name
              + " "
              + file
              + " holds no private key in PKCS#8 (BEGIN PRIVATE KEY); convert it with"
              + " `openssl pkcs8 -topk8 -nocrypt`");
    }
    return new ByteArrayInputStream(content);
  }

  private static byte[] read(String name, Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException missing) {
      throw new IllegalArgumentException(name + " " + file + " does not exist", missing);
    } catch (AccessDeniedException denied) {
      throw new IllegalArgumentException(name + " " + file + " is not readable", denied);
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(
          name + " " + file + " cannot be read: " + unreadable.getMessage(), unreadable);
    }
  }
}
