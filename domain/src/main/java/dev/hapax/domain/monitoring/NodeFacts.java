package dev.hapax.domain.monitoring;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a server reports of itself to the others, with its heartbeat.
 *
 * @param committers the connections that write
 * @param keys the API keys that it has read; empty = it does not authenticate callers
 * @param clockOffset how far the clock of the database is ahead of its own; negative = behind
 */
public record NodeFacts(
    int committers, Optional<KeyCopy> keys, Duration clockOffset, List<Expiry> certificates) {
  public NodeFacts {
    certificates = List.copyOf(certificates);
  }

  /**
   * A copy of the API keys.
   *
   * @param readAt a later change may be unknown
   */
  public record KeyCopy(int number, Instant readAt) {}

  /**
   * The certificates of one use.
   *
   * @param at when the first of them expires
   */
  public record Expiry(String use, Instant at) {}
}
