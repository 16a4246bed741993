package dev.hapax.domain.security;

import dev.hapax.domain.InvalidValueException;
import java.util.Map;

/**
 * A grant for the tokens that have a value in a claim.
 *
 * @param value compared exactly, also with each value of an array
 */
public record JwtClaimGrant(JwtClaimPath claim, String value, RoleGrant grant) {
  private static final String ARROW = "->";

  public JwtClaimGrant {
    if (value.isEmpty()) {
      throw new InvalidValueException("needs a value of the claim before " + ARROW);
    }
  }

  /** Parses {@code VALUE -> GRANT}. */
  public static JwtClaimGrant parse(JwtClaimPath claim, String text) {
    // a grant has no arrow, a value may have one
    var arrow = text.lastIndexOf(ARROW);
    if (arrow < 0) {
      throw new InvalidValueException(
          "must be like 'ops -> role=operator workspace=*' (was '%s')".formatted(text));
    }
    return new JwtClaimGrant(
        claim,
        text.substring(0, arrow).strip(),
        RoleGrant.parse(text.substring(arrow + ARROW.length())));
  }

  boolean matches(Map<String, ?> claims) {
    return claim.strings(claims).contains(value);
  }
}
