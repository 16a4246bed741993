package dev.hapax.domain.security;

/** Whether a token is accepted. */
public sealed interface JwtDecision {
  record Accepted(Authentication.Authenticated caller) implements JwtDecision {}

  /**
   * The token is rejected.
   *
   * @param why for logs, so without values of the token
   */
  record Rejected(String why) implements JwtDecision {}
}
