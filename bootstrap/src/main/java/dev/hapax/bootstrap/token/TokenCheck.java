package dev.hapax.bootstrap.token;

import dev.hapax.domain.security.JwtDecision;

/** The result of checking a token with the keys in memory. */
sealed interface TokenCheck {
  record Decided(JwtDecision decision) implements TokenCheck {}

  record WrongSignature() implements TokenCheck {}

  /** Its key is unknown; the issuer may have a new one. */
  record UnknownKey() implements TokenCheck {}
}
