package dev.hapax.domain.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Takes a run as far as it goes without a worker, a signal or more time. */
final class RunProgression {
  private static final Failure TIMED_OUT =
      new Failure("SIGNAL_TIMEOUT", "no signal came in time", Optional.empty());
  private final Instant now;

  RunProgression(Instant now) {
    this.now = now;
  }

  /** Also takes back a lease that is over. */
  Run look(Run run) {
    return go(
        run.held().filter(held -> !now.isBefore(held.leaseUntil())).isPresent()
            ? withoutHolder(run)
            : run);
  }

  Run go(Run run) {
    var current = run;
    while (true) {
      var next = next(current);
      // nothing new happened
      if (next.version() == current.version()) {
        return next;
      }
      current = next;
    }
  }

  private Run next(Run run) {
    return switch (run.phase()) {
      case Phase.Ready(var due, _) -> now.isBefore(due) ? run : enter(run);
      case Phase.Waiting waiting -> waiting.isOver(now) ? overdue(run) : run;
      case Phase.Settled(var failure) ->
          run.then(
              failure
                  .<RunChange>map(RunChange.RunFailed::new)
                  .orElseGet(RunChange.RunCompleted::new),
              now,
              Actor.SERVER);
      case Phase.Held _, Phase.Paused _, Phase.Ended _ -> run;
    };
  }

  /** Timers and signals are entered by nobody else. */
  private Run enter(Run run) {
    return switch (run.step().orElseThrow().kind()) {
      case StepDefinition.Task _, StepDefinition.Code _ -> run;
      case StepDefinition.Timer timer ->
          waiting(run, Optional.of(timer.end(now)), Optional.empty());
      case StepDefinition.Signal signal ->
          waiting(run, signal.timeout().map(now::plus), Optional.of(signal.filter()));
    };
  }

  private Run waiting(Run run, Optional<Instant> until, Optional<SignalFilter> signal) {
    return run.then(new RunChange.StepStarted(Optional.empty()), now, Actor.SERVER)
        .then(new RunChange.StepSuspended(until, signal, Optional.empty()), now, Actor.SERVER);
  }

  private Run overdue(Run run) {
    return switch (run.step().orElseThrow().kind()) {
      case StepDefinition.Timer _ -> completed(run, Optional.empty(), List.of());
      case StepDefinition.Signal _ ->
          run.then(new RunChange.StepFailed(TIMED_OUT), now, Actor.SERVER);
      case StepDefinition.Task _, StepDefinition.Code _ ->
          run.then(new RunChange.StepResumed(Optional.empty()), now, Actor.SERVER);
    };
  }

  /** What a waiting run awaited has come: a signal step is done with it, other work goes on. */
  Run signalled(Run run, String signalId, Optional<Payload> payload) {
    return go(
        run.step().orElseThrow().kind() instanceof StepDefinition.Signal
            ? completed(run, payload, List.of(signalId))
            : run.then(new RunChange.StepResumed(Optional.of(signalId)), now, Actor.SERVER));
  }

  private Run completed(Run run, Optional<Payload> output, List<String> consumed) {
    return run.then(
        new RunChange.StepCompleted(output, Optional.empty(), consumed, false), now, Actor.SERVER);
  }

  /**
   * Frees the step as the same attempt. In a full history it costs an attempt, so that a step which
   * every worker releases ends at last.
   */
  Run released(Run run, Duration delay, Actor by) {
    if (run.hasRoom()) {
      return run.then(RunChange.LeaseGivenBack.after(delay, now), now, by);
    }
    var change =
        run.position().isLastAttempt()
            ? new RunChange.StepFailed(RunChange.LeaseGivenBack.FULL)
            : new RunChange.RetryScheduled(RunChange.LeaseGivenBack.FULL, now.plus(delay));
    return go(run.then(change, now, by));
  }

  private Run withoutHolder(Run run) {
    var lost = run.then(new RunChange.LeaseLost(), now, Actor.SERVER);
    return run.position().isLastAttempt()
        ? lost.then(new RunChange.StepFailed(RunChange.LeaseLost.FAILURE), now, Actor.SERVER)
        : lost;
  }
}
