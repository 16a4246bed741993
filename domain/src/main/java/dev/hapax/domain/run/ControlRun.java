package dev.hapax.domain.run;

import dev.hapax.domain.ledger.World;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** Cancels, pauses or resumes a run. */
public record ControlRun(
    RunId run, Verb verb, String reason, OptionalLong expectedVersion, Actor by)
    implements RunCommand<ControlOutcome> {

  /** What to do. */
  public enum Verb {
    CANCEL,
    PAUSE,
    RESUME
  }

  @Override
  public ControlOutcome decide(World world, Instant now) {
    var found = world.get(run);
    if (found.isEmpty()) {
      return new ControlOutcome.NotFound();
    }
    var before = found.get();
    if (holdsAlready(before)) {
      return new ControlOutcome.Steered(before);
    }
    if (!ControlOutcome.isExpected(before, expectedVersion)) {
      return new ControlOutcome.Moved(before);
    }
    if (!isAllowed(before)) {
      return new ControlOutcome.NotAllowed(before);
    }
    var after = steered(before, now);
    world.put(run, after);
    return new ControlOutcome.Steered(after);
  }

  private boolean holdsAlready(Run before) {
    return switch (verb) {
      case CANCEL -> before.phase() instanceof Phase.Cancelled;
      case PAUSE -> before.phase() instanceof Phase.Paused;
      case RESUME -> before.status() == RunStatus.RUNNING || before.status() == RunStatus.WAITING;
    };
  }

  /** What has not begun can only be cancelled; what has ended cannot be steered. */
  private boolean isAllowed(Run before) {
    return !before.hasEnded() && (verb == Verb.CANCEL || before.status() != RunStatus.PENDING);
  }

  private Run steered(Run before, Instant now) {
    return switch (verb) {
      case CANCEL -> before.then(new RunChange.RunCancelled(reason, Optional.empty()), now, by);
      case PAUSE -> before.then(new RunChange.Paused(reason), now, by);
      case RESUME -> resumed(before, now);
    };
  }

  /** Times that were set stay; what is over by now is seen to at once. */
  private Run resumed(Run before, Instant now) {
    var resumed = before.then(new RunChange.Resumed(reason), now, by);
    var waiting =
        before.phase() instanceof Phase.Paused(Phase.Waiting(var until, var signal, _))
            ? resumed.then(
                new RunChange.StepSuspended(until, signal, Optional.empty()), now, Actor.SERVER)
            : resumed;
    return new RunProgression(now).look(waiting);
  }
}
