package dev.hapax.application.run;

import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import java.time.Duration;
import java.util.List;

/**
 * What a poll was granted.
 *
 * @param waited how long the poll had waited when it asked for them: callers count a lease from
 *     when they sent
 */
record GrantedTasks(List<Claimed> granted, Duration waited) {
  static final GrantedTasks NOTHING = new GrantedTasks(List.of(), Duration.ZERO);

  GrantedTasks {
    granted = List.copyOf(granted);
  }
}
