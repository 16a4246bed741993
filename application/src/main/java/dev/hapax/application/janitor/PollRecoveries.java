package dev.hapax.application.janitor;

import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.janitor.JanitorId;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * The request of a module's poll for recoveries.
 *
 * @param worker the name of the polling worker, for display
 * @param attempt hash of the poll's attempt id; a retry with the same id gets the same recoveries
 * @param lease of each recovery
 * @param atMost the largest number of recoveries
 * @param principal of the worker, which the server verified
 */
public record PollRecoveries(
    JanitorId janitor,
    String worker,
    Optional<UUID> attempt,
    Duration lease,
    int atMost,
    PrincipalName principal) {
  public static final int MAX_RECOVERIES = 500;
}
