package dev.hapax.domain.security;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the issuer of a token with a valid signature claims.
 *
 * @param all every claim by name: strings, numbers, booleans, lists and maps
 */
public record JwtClaims(
    List<String> audience,
    Optional<Instant> expiresAt,
    Optional<Instant> notBefore,
    Map<String, ?> all) {
  public JwtClaims {
    audience = List.copyOf(audience);
  }

  /** Returns nothing of the token, which may be in logs. */
  @Override
  public String toString() {
    return "JwtClaims[***]";
  }
}
