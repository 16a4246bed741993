package dev.hapax.postgres.restore;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What was under way in the state that was restored.
 *
 * @param lastHeartbeat of a server, at most ten seconds before the backup if one ran
 * @param grants the first of them by kind and name; all of them are revoked
 * @param grantCounts how many there were, by kind
 * @param indeterminate operations that wait for an operator
 * @param awaitingSignals runs that wait for a signal; it may have been delivered since
 * @param pendingIntents intents and completions in SQL that no server had taken; servers take them
 * @param liveKeys API keys that are neither expired nor revoked
 */
public record RestoredState(
    Optional<Instant> lastHeartbeat,
    List<OpenGrant> grants,
    Map<String, Long> grantCounts,
    long indeterminate,
    long awaitingSignals,
    long pendingIntents,
    long liveKeys) {
  public RestoredState {
    grants = List.copyOf(grants);
    grantCounts = Map.copyOf(grantCounts);
  }
}
