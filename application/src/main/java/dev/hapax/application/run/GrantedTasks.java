package dev.hapax.application.run;

import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.TaskClaim;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

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

  /** Each claim once: the poll's own claim of a run may find what another command granted to it. */
  GrantedTasks once() {
    var claims = new HashSet<Optional<TaskClaim>>();
    return new GrantedTasks(
        tasks.stream().filter(task -> claims.add(task.run().claim())).toList(), waited);
  }

  /** The further copies of claims, which are not delivered. */
  List<Run> repeated() {
    var claims = new HashSet<Optional<TaskClaim>>();
    return tasks.stream().map(Claimed::run).filter(run -> !claims.add(run.claim())).toList();
  }
}
