package dev.hapax.domain.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/**
 * Fails the current attempt of a step; the run retries it or fails.
 *
 * @param isFinal the failure is permanent: no retry
 * @param retryAfter the pause that the worker requests; empty = that of the step's retry policy
 * @param jitter random, from [0, 1), for the pause of the retry policy
 * @param parts stored before the failure
 * @param principal of the caller
 */
public record FailTask(
    TaskClaim claim,
    Failure failure,
    boolean isFinal,
    Optional<Duration> retryAfter,
    double jitter,
    ReportedParts parts,
    PrincipalName principal)
    implements RunCommand<FailTaskOutcome> {

  /** The code of a failure that leaves it open whether the effect happened. */
  public static final String UNKNOWN_EFFECT = "UNKNOWN_EFFECT";

  public static final Duration MAX_RETRY_AFTER = Duration.ofDays(30);

  public FailTask {
    retryAfter.ifPresent(FailTask::requireRetryAfter);
  }

  /** A failure that reports nothing about parts. */
  public FailTask(
      TaskClaim claim,
      Failure failure,
      boolean isFinal,
      Optional<Duration> retryAfter,
      double jitter,
      PrincipalName principal) {
    this(claim, failure, isFinal, retryAfter, jitter, ReportedParts.NONE, principal);
  }

  /** Returns the pause, or throws if it is out of bounds. */
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
  public Collection<? extends RecordKey<?>> keys() {
    return parts.keysWith(claim);
  }

  @Override
  public int size() {
    return SIZE + failure.size() + parts.size();
  }

  @Override
  public FailTaskOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.run());
    var held = found.flatMap(run -> run.heldBy(claim, now));
    if (held.isEmpty()) {
      return new TaskLost(claim, found);
    }
    var holder = Actor.holder(held.get().grant(), principal);
    return switch (parts.apply(records, claim, found.orElseThrow(), holder, now)) {
      case ReportedParts.Applied applied -> {
        var change = change(applied.run(), now);
        var failed = new RunProgression(now).proceed(applied.run().then(change, now, holder));
        applied.store(records);
        records.put(failed.id(), failed);
        yield new FailTaskOutcome.Failed(failed, change.retryAt(), false);
      }
      case PartsRefused refused -> refused;
    };
  }

  private RunChange change(Run run, Instant now) {
    var policy = run.work().map(StepDefinition.Work::retry).orElse(RetryPolicy.DEFAULT);
    if (isFinal || !policy.allowsRetryOf(failure) || run.position().isLastAttempt()) {
      return new RunChange.StepFailed(failure);
    }
    var pause = retryAfter.orElseGet(() -> policy.backoff(run.position().attempt(), jitter));
    return new RunChange.RetryScheduled(failure, now.plus(pause));
  }
}
