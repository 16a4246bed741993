package dev.hapax.domain.run;

import dev.hapax.domain.ledger.World;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * Lets a failed run go on where it failed. Whether the same request has done so before is for the
 * history to tell.
 */
public record RetryRun(
    RunId run, String requestId, String reason, OptionalLong expectedVersion, Actor by)
    implements RunCommand<ControlOutcome> {

  @Override
  public ControlOutcome decide(World world, Instant now) {
    var found = world.get(run);
    if (found.isEmpty()) {
      return new ControlOutcome.NotFound();
    }
    var before = found.get();
    if (before.status() == RunStatus.RUNNING) {
      return new ControlOutcome.Steered(before);
    }
    if (!ControlOutcome.isExpected(before, expectedVersion)) {
      return new ControlOutcome.Moved(before);
    }
    if (!(before.phase() instanceof Phase.Failed)) {
      return new ControlOutcome.NotAllowed(before);
    }
    var retried =
        new RunProgression(now).go(before.then(new RunChange.Retried(requestId, reason), now, by));
    world.put(run, retried);
    return new ControlOutcome.Steered(retried);
  }
}
