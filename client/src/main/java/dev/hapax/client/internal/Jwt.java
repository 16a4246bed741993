package dev.hapax.client.internal;

import java.util.regex.Pattern;

/** A signed JSON Web Token. The server verifies it; here only its form is checked. */
final class Jwt implements Bearer {

  private static final Pattern FORM = Pattern.compile("[\\w-]+\\.[\\w-]+\\.[\\w-]+");

  private final String text;

  private Jwt(String text) {
    this.text = text;
  }

  /**
   * Reads a token, with white space around it. The error names the origin and never repeats the
   * text.
   */
  static Jwt parse(String origin, String text) {
    String stripped = text.strip();
    if (!hasForm(stripped)) {
      throw new IllegalArgumentException(
          origin
              + (stripped.isEmpty() ? " is empty" : " is not a JWT, or was cut")
              + "; it must be HEADER.PAYLOAD.SIGNATURE, as the issuer signed it");
    }
    return new Jwt(stripped);
  }

  static boolean hasForm(String stripped) {
    return FORM.matcher(stripped).matches();
  }

  @Override
  public String authorization() {
    return "Bearer " + text;
  }

  /** Returns no part of the token, since its payload may name people. */
  @Override
  public String toString() {
    return "JWT";
  }
}
