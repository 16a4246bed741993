package dev.hapax.domain.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.ledger.BatchRecords;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Releases a step that its worker cannot execute; the same attempt is offered again, unless the
 * run's history is full.
 *
 * @param delay before the step is offered again
 * @param reason shown to operators; empty = none
 * @param principal of the caller
 */
public record ReleaseTask(
    TaskClaim claim, Duration delay, Optional<Failure> reason, PrincipalName principal)
    implements RunCommand<ReleaseTaskOutcome> {
  /** The code of the reason that the worker's code does not fit the run. */
  public static final String CODE_CHANGED = "CODE_CHANGED";

  /** Keeps a step that no worker can execute from being polled in a tight loop. */
  public static final Duration DEFAULT_DELAY = Duration.ofSeconds(5);

  public static final Duration MAX_DELAY = Duration.ofHours(1);

  public ReleaseTask {
    requireDelay(delay);
  }

  /** A release without a reason. */
  public ReleaseTask(TaskClaim claim, Duration delay, PrincipalName principal) {
    this(claim, delay, Optional.empty(), principal);
  }

  /** Returns the delay, or throws if it is out of bounds. */
  public static Duration requireDelay(Duration delay) {
    if (delay.isNegative() || delay.compareTo(MAX_DELAY) > 0) {
      throw new InvalidValueException("must be between 0 and 1 h");
    }
    return delay;
  }

  @Override
  public RunId run() {
    return claim.run();
  }

  @Override
  public ReleaseTaskOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.run());
    var held = found.flatMap(run -> run.heldBy(claim, now));
    if (held.isEmpty()) {
      return new TaskLost(claim, found);
    }
    var holder = Actor.holder(held.get().grant(), principal);
    var run = new RunProgression(now).released(found.orElseThrow(), delay, reason, holder);
    records.put(run.id(), run);
    return new ReleaseTaskOutcome.Released(run, false);
  }
}
