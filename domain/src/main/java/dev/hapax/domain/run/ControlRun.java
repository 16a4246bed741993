package dev.hapax.domain.run;

import dev.hapax.domain.ledger.BatchRecords;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** Cancels, pauses or resumes a run. */
public record ControlRun(
    RunId run, Verb verb, String reason, OptionalLong expectedVersion, Actor actor)
    implements RunCommand<ControlOutcome> {

  /** The kinds of control. */
  public enum Verb {
    CANCEL,
    PAUSE,
    RESUME
  }

  @Override
  public ControlOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(run);
    if (found.isEmpty()) {
      return new ControlOutcome.NotFound();
    }
    var before = found.get();
    if (isAlready(before)) {
      return new ControlOutcome.Applied(before, true);
    }
    if (!ControlOutcome.isExpected(before, expectedVersion)) {
      return new ControlOutcome.Moved(before);
    }
    if (!isAllowed(before)) {
      return new ControlOutcome.NotAllowed(before);
    }
    var after = controlled(before, now);
    records.put(run, after);
    return new ControlOutcome.Applied(after, false);
  }

  private boolean isAlready(Run before) {
    return switch (verb) {
      case CANCEL -> before.phase() instanceof Phase.Cancelled;
      case PAUSE -> before.phase() instanceof Phase.Paused;
      case RESUME -> before.status() == RunStatus.RUNNING || before.status() == RunStatus.WAITING;
    };
  }

  /**
   * A run that has not begun can only be cancelled, and so can one that waits for tokens again
   * after its failure: its place would not outlive a pause. A run that has ended cannot be
   * controlled.
   */
  private boolean isAllowed(Run before) {
    return !before.hasEnded()
        && (verb == Verb.CANCEL
            || (before.status() != RunStatus.PENDING && !before.tokens().isAwaiting()));
  }

  private Run controlled(Run before, Instant now) {
    return switch (verb) {
      case CANCEL -> before.then(new RunChange.RunCancelled(reason, Optional.empty()), now, actor);
      case PAUSE -> before.then(new RunChange.Paused(reason), now, actor);
      case RESUME -> resumed(before, now);
    };
  }

  /** The times set before the pause still apply; what became due during the pause is done now. */
  private Run resumed(Run before, Instant now) {
    var resumed = before.then(new RunChange.Resumed(reason), now, actor);
    var waiting =
        before.phase() instanceof Phase.Paused(Phase.Waiting(var until, var signal, _))
            ? resumed.then(
                new RunChange.StepSuspended(until, signal, Optional.empty()), now, Actor.SERVER)
            : resumed;
    return new RunProgression(now).advance(waiting);
  }
}
