package dev.hapax.domain.security;

import java.time.Instant;
import java.util.Optional;

/**
 * An API key that this version cannot read, such as one with a role of a later version. It is
 * refused, and can be revoked.
 *
 * @param problem why it cannot be read
 */
public record UnreadableApiKey(
    String id,
    String owner,
    Instant createdAt,
    Optional<Instant> expiresAt,
    Optional<Instant> revokedAt,
    String problem)
    implements ApiKeyRow {}
