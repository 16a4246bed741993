package dev.hapax.domain.run;

import dev.hapax.domain.ledger.BatchRecords;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/**
 * Retries a failed run from the step that failed. If a part of the step failed, it gets a new
 * budget. The caller detects a repeated request by the run's history.
 */
public record RetryRun(
    RunId run, String requestId, String reason, OptionalLong expectedVersion, Actor actor)
    implements RunCommand<ControlOutcome>, ReopenRun {

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
    if (!(before.phase() instanceof Phase.Failed(_, var failure)) || !before.isReopenable()) {
      return new ControlOutcome.NotAllowed(before);
    }
    var event = before.then(new RunChange.Retried(requestId, reason), now, actor);
    if (!failure.part().isEmpty()) {
      repeat(records, new PartId(run, before.position().step(), failure.part()), event);
    }
    var retried = new RunProgression(now).proceed(event);
    records.put(run, retried);
    return new ControlOutcome.Applied(retried, false);
  }

  private static void repeat(BatchRecords records, PartId id, Run retried) {
    records.lock(List.of(id));
    records
        .get(id)
        .filter(Part.Failed.class::isInstance)
        .map(part -> ((Part.Failed) part).repeatedBy(retried.newEvents().getLast()))
        .ifPresent(part -> records.put(id, part));
  }
}
