package dev.hapax.domain.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.ledger.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Ends an attempt that failed.
 *
 * @param isFinal no other attempt can do better
 * @param retryAfter the pause the worker asks for; empty = that of the step's policy
 * @param jitter drawn from [0, 1) for the policy's pause
 */
public record FailTask(
    TaskClaim claim, Failure failure, boolean isFinal, Optional<Duration> retryAfter, double jitter)
    implements RunCommand<FailTaskOutcome> {

  public static final Duration MAX_RETRY_AFTER = Duration.ofDays(30);

  /** The pause a worker asks for, or a violation. */
  public static Duration requireRetryAfter(Duration pause) {
    if (!pause.isPositive() || pause.compareTo(MAX_RETRY_AFTER) > 0) {
      throw new InvalidValueException("must be more than 0 and at most 30 days");
    }
    return pause;
  }

  @Override
  public RunId run() {
    return claim.run();
  }

  @Override
  public int size() {
    return SIZE + failure.message().length() + failure.details().map(Payload::size).orElse(0);
  }

  @Override
  public FailTaskOutcome decide(World world, Instant now) {
    var found = world.get(claim.run());
    var held = found.flatMap(run -> run.heldBy(claim));
    if (held.isEmpty()) {
      return new TaskLost(claim, found);
    }
    var run = found.orElseThrow();
    var change = change(run, now);
    var failed =
        new RunProgression(now).go(run.then(change, now, Actor.holder(held.get().grant())));
    world.put(run.id(), failed);
    return new FailTaskOutcome.Failed(failed, change.retryAt(), false);
  }

  private RunChange change(Run run, Instant now) {
    var policy = run.work().map(StepDefinition.Work::retry).orElse(RetryPolicy.DEFAULT);
    if (isFinal || !policy.allowsRetryOf(failure) || run.position().isLastAttempt()) {
      return new RunChange.StepFailed(failure);
    }
    var pause = retryAfter.orElseGet(() -> policy.pause(run.position().attempt(), jitter));
    return new RunChange.RetryScheduled(failure, now.plus(pause));
  }
}
