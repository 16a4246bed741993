package dev.hapax.application.run;

import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import java.time.Duration;
import java.util.List;

/**
 * The tasks that a poll was granted.
 *
 * @param waited how long the poll had waited when it submitted the claims: callers count a lease
 *     from when they sent the request
 */
record GrantedTasks(List<Claimed> tasks, Duration waited) {
  static final GrantedTasks NOTHING = new GrantedTasks(List.of(), Duration.ZERO);

  GrantedTasks {
    tasks = List.copyOf(tasks);
  }
}
