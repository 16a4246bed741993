package dev.hapax.domain;

import java.util.Locale;

/**
 * The name of a verified principal, such as {@code api-key:billing}, as events and records keep it
 * beside the name that its caller claims.
 *
 * @param text empty = none: the server does not authenticate, or acted itself
 */
public record PrincipalName(String text) {
  public static final PrincipalName NONE = new PrincipalName("");

  /** The longest text, in characters: a name, and the kind of its principal. */
  private static final int MAX_LENGTH = Text.MAX_LENGTH + 32;

  public PrincipalName {
    if (text.codePointCount(0, text.length()) > MAX_LENGTH) {
      throw new InvalidValueException(
          String.format(Locale.ROOT, "has more than %d characters", MAX_LENGTH));
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
