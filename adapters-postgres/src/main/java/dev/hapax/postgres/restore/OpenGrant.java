package dev.hapax.postgres.restore;

import java.time.Instant;

/**
 * Work that a caller or worker held in the restored state, and may have ended since.
 *
 * @param kind {@code operation}, {@code task}, {@code action} or {@code recovery}
 * @param name what its command finds it by
 * @param holder the account of an operation, otherwise the name that the holder gave; may be empty
 */
public record OpenGrant(
    String kind, String workspace, String name, String holder, Instant leaseUntil) {}
