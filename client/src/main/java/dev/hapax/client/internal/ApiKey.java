package dev.hapax.client.internal;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * An API key that passed its checksum. Only {@link #authorization} shows the secret; the id is
 * public.
 */
public final class ApiKey implements Bearer {

  private static final Pattern FORM =
      Pattern.compile("hpx_([0-9A-Za-z]{12})_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}");
  private static final String DIGITS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int CHECKSUM_LENGTH = 6;

  private final String id;
  private final String text;

  private ApiKey(String id, String text) {
    this.id = id;
    this.text = text;
  }

  /**
   * Reads a key, with white space around it. The error names the origin and never repeats the text.
   *
   * @param origin of the text, such as the name of a file
   */
  public static ApiKey parse(String origin, String text) {
    String stripped = text.strip();
    if (Jwt.hasForm(stripped)) {
      throw new IllegalArgumentException(
          origin + " is a JWT, not an API key; name its file in HAPAX_JWT_FILE");
    }
    var form = FORM.matcher(stripped);
    int checksumAt = stripped.lastIndexOf('_') + 1;
    if (!form.matches()
        || !checksum(stripped.substring(0, checksumAt - 1))
            .equals(stripped.substring(checksumAt))) {
      throw new IllegalArgumentException(
          origin
              + (stripped.isEmpty() ? " is empty" : " is not an API key, or was mistyped or cut")
              + "; it must be hpx_ID_SECRET_CHECKSUM, as `hapax key create` printed it");
    }
    return new ApiKey(form.group(1), stripped);
  }

  /** The CRC-32 in base 62: it detects a mistyped key and protects nothing. */
  private static String checksum(String checked) {
    CRC32 crc = new CRC32();
    crc.update(checked.getBytes(StandardCharsets.US_ASCII));
    StringBuilder digits = new StringBuilder();
    for (long rest = crc.getValue(); digits.length() < CHECKSUM_LENGTH; rest /= DIGITS.length()) {
      digits.append(DIGITS.charAt((int) (rest % DIGITS.length())));
    }
    return digits.reverse().toString();
  }

  @Override
  public String authorization() {
    return "Bearer " + text;
  }

  /** Returns the public part only. */
  @Override
  public String toString() {
    return "hpx_" + id;
  }
}
