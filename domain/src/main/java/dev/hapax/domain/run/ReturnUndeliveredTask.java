package dev.hapax.domain.run;

import dev.hapax.domain.ledger.BatchRecords;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Returns one undelivered copy of a task. The step becomes free when no delivery is left: a retried
 * poll with the same attempt id may have received the task. Not idempotent, so it is sent exactly
 * once for each failed delivery.
 *
 * @param delay before the step is offered again
 */
public record ReturnUndeliveredTask(TaskClaim claim, Duration delay)
    implements RunCommand<Optional<Run>> {

  /** Offers the step again at once. */
  public ReturnUndeliveredTask(TaskClaim claim) {
    this(claim, Duration.ZERO);
  }

  @Override
  public RunId run() {
    return claim.run();
  }

  /** The run, if this call freed its step. */
  @Override
  public Optional<Run> decide(BatchRecords records, Instant now) {
    var found = records.get(claim.run());
    var held = found.flatMap(run -> run.heldBy(claim, now));
    if (held.isEmpty()) {
      return Optional.empty();
    }
    var before = found.orElseThrow();
    var left = held.get().withoutDelivery();
    var run =
        left.map(before::moved)
            .orElseGet(
                () ->
                    new RunProgression(now)
                        .released(before, delay, Optional.empty(), Actor.SERVER));
    records.put(run.id(), run);
    return left.isPresent() ? Optional.empty() : Optional.of(run);
  }
}
