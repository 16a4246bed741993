package dev.hapax.domain.run;

import dev.hapax.domain.ledger.BatchRecords;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * Retries a failed run from the step that failed. The caller detects a repeated request by the
 * run's history.
 */
public record RetryRun(
    RunId run, String requestId, String reason, OptionalLong expectedVersion, Actor actor)
    implements RunCommand<ControlOutcome> {

  @Override
  public ControlOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(run);
    if (found.isEmpty()) {
      return new ControlOutcome.NotFound();
    }
    var before = found.get();
    if (before.status() == RunStatus.RUNNING) {
      return new ControlOutcome.Applied(before, true);
    }
    if (!ControlOutcome.isExpected(before, expectedVersion)) {
      return new ControlOutcome.Moved(before);
    }
    if (!(before.phase() instanceof Phase.Failed)) {
      return new ControlOutcome.NotAllowed(before);
    }
    var retried =
        new RunProgression(now)
            .proceed(before.then(new RunChange.Retried(requestId, reason), now, actor));
    records.put(run, retried);
    return new ControlOutcome.Applied(retried, false);
  }
}
