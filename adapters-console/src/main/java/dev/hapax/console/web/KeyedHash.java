package dev.hapax.console.web;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Hashes with a key of this process, such as the token of a session's forms. */
final class KeyedHash {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int KEY_BYTES = 32;

  private final SecretKeySpec key;

  KeyedHash() {
    var secret = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(secret);
    this.key = new SecretKeySpec(secret, ALGORITHM);
  }

  String of(String text) {
    try {
      var mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return text(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK has no " + ALGORITHM, e);
    }
  }

  /** Compares in a time that does not depend on where they differ. */
  boolean matches(String hash, String text) {
    return MessageDigest.isEqual(
        hash.getBytes(StandardCharsets.UTF_8), of(text).getBytes(StandardCharsets.UTF_8));
  }

  static String sha256(String text) {
    try {
      return text(
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK has no SHA-256", e);
    }
  }

  static String text(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
