package dev.hapax.domain.run;

import dev.hapax.domain.Payload;
import dev.hapax.domain.ledger.BatchRecords;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Renews the lease of a task, but never shortens it, and not beyond the time of the attempt.
 *
 * @param lease from now; empty = that of the step's definition
 * @param details for the next attempt; empty = those of the last heartbeat that had some
 */
public record HeartbeatTask(TaskClaim claim, Optional<Duration> lease, Optional<Payload> details)
    implements RunCommand<HeartbeatOutcome> {
  /** The largest details, in bytes. */
  public static final int MAX_DETAILS = 4096;

  public HeartbeatTask(TaskClaim claim, Duration lease) {
    this(claim, Optional.of(lease));
  }

  /** A renewal without details. */
  public HeartbeatTask(TaskClaim claim, Optional<Duration> lease) {
    this(claim, lease, Optional.empty());
  }

  @Override
  public RunId run() {
    return claim.run();
  }

  @Override
  public int size() {
    return SIZE + details.map(Payload::size).orElse(0);
  }

  @Override
  public HeartbeatOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.run());
    var held = found.flatMap(run -> run.heldBy(claim, now)).filter(last -> !last.isTimedOut(now));
    if (held.isEmpty()) {
      return new TaskLost(claim, found);
    }
    var before = found.orElseThrow();
    var renewed = held.get().renewedUntil(now.plus(lease.orElseGet(() -> defined(before))));
    var run = before.moved(renewed).withDetails(details.or(before::details));
    records.put(run.id(), run);
    return new HeartbeatOutcome.Renewed(
        run,
        Duration.between(now, renewed.leaseUntil()),
        renewed.attemptUntil().map(until -> Duration.between(now, until)));
  }

  private static Duration defined(Run run) {
    return run.work().orElseThrow().lease();
  }
}
