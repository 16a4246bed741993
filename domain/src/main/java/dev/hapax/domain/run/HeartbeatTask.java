package dev.hapax.domain.run;

import dev.hapax.domain.ledger.BatchRecords;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Renews the lease of a task, but never shortens it.
 *
 * @param lease from now; empty = that of the step's definition
 */
public record HeartbeatTask(TaskClaim claim, Optional<Duration> lease)
    implements RunCommand<HeartbeatOutcome> {

  public HeartbeatTask(TaskClaim claim, Duration lease) {
    this(claim, Optional.of(lease));
  }

  @Override
  public RunId run() {
    return claim.run();
  }

  @Override
  public HeartbeatOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.run());
    var held = found.flatMap(run -> run.heldBy(claim));
    if (held.isEmpty()) {
      return new TaskLost(claim, found);
    }
    var before = found.orElseThrow();
    var renewed = held.get().renewedUntil(now.plus(lease.orElseGet(() -> defined(before))));
    var run = before.moved(renewed);
    records.put(run.id(), run);
    return new HeartbeatOutcome.Renewed(run, Duration.between(now, renewed.leaseUntil()));
  }

  private static Duration defined(Run run) {
    return run.work().orElseThrow().lease();
  }
}
