package dev.hapax.domain.security;

import java.time.Instant;
import java.util.Optional;

/** A row of the table of API keys. */
public sealed interface ApiKeyRow permits StoredApiKey, UnreadableApiKey {
  String id();

  /** The name of the principal. */
  String owner();

  Instant createdAt();

  /** When it expires; empty = never. */
  Optional<Instant> expiresAt();

  /** When it was revoked; empty = it was not. */
  Optional<Instant> revokedAt();

  /** Whether it is neither revoked nor expired. */
  default boolean isLive(Instant now) {
    return revokedAt().isEmpty() && expiresAt().filter(end -> !now.isBefore(end)).isEmpty();
  }
}
