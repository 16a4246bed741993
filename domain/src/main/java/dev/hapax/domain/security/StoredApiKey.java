package dev.hapax.domain.security;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * An API key as the database has it: without its secret.
 *
 * @param principal several keys of one principal may be live, for rotation
 * @param createdBy the operating system's user who created it
 * @param expiresAt empty = never
 * @param revokedAt empty = not revoked
 */
public record StoredApiKey(
    String id,
    SecretHash secretHash,
    Principal principal,
    Instant createdAt,
    String createdBy,
    Optional<Instant> expiresAt,
    Optional<Instant> revokedAt)
    implements ApiKeyRow {

  @Override
  public String owner() {
    return principal.name();
  }

  /** How long it was to be valid when it was created; empty = until it is revoked. */
  public Optional<Duration> lifetime() {
    return expiresAt.map(end -> Duration.between(createdAt, end));
  }
}
