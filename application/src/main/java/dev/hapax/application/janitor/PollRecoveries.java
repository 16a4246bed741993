package dev.hapax.application.janitor;

import dev.hapax.domain.janitor.JanitorId;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * What a module asks for.
 *
 * @param worker who asks, for people
 * @param attempt which poll it is, condensed; the same again gets the same recoveries
 * @param lease how long each is held
 * @param atMost how many
 */
public record PollRecoveries(
    JanitorId janitor, String worker, Optional<UUID> attempt, Duration lease, int atMost) {
  public static final int MAX_RECOVERIES = 500;
}
