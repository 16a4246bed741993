package dev.hapax.domain.security;

import java.time.Instant;
import java.util.Optional;

/** The outcome of authenticating a call. */
public sealed interface Authentication {

  /**
   * The caller is known.
   *
   * @param apiKeyId the key it presented, if it did
   * @param expiresAt when its credentials expire; {@link Instant#MAX} = never
   */
  record Authenticated(Principal principal, Optional<String> apiKeyId, Instant expiresAt)
      implements Authentication {}

  /** The caller is unknown. */
  record Refused(Reason reason) implements Authentication {}

  /** Why a caller is unknown; for metrics and logs, since callers learn only what they sent. */
  enum Reason {
    /** No credentials were sent. */
    MISSING,
    /** The API key is malformed, unknown, expired or revoked. */
    API_KEY,
    /** The client certificate maps to no principal, or has expired. */
    CERTIFICATE,
    /** The token is malformed, expired, or not from a trusted issuer for this server. */
    TOKEN,
    /** The signature of the token is wrong. */
    SIGNATURE,
    /** The token was not verified, since too many signatures of its address were wrong. */
    UNVERIFIED
  }
}
