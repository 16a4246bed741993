package dev.hapax.domain.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Advances a run as far as possible without a worker, a signal or more time. */
final class RunProgression {
  private static final Failure TIMED_OUT =
      new Failure(
          "SIGNAL_TIMEOUT", "no matching signal arrived before the timeout", Optional.empty());
  private final Instant now;

  RunProgression(Instant now) {
    this.now = now;
  }

  /** Expires the lease if it is over, then proceeds. */
  Run advance(Run run) {
    return proceed(
        run.held().filter(held -> !now.isBefore(held.leaseUntil())).isPresent()
            ? expired(run)
            : run);
  }

  Run proceed(Run run) {
    var current = run;
    while (true) {
      var next = next(current);

      if (next.version() == current.version()) {
        return next;
      }
      current = next;
    }
  }

  private Run next(Run run) {
    return switch (run.phase()) {
      case Phase.Finishing _, Phase.Ended _ -> continued(run);
      case Phase.Open _, Phase.Paused _ ->
          run.deadlines()
              .missed(now)
              .map(missed -> failed(run, missed))
              .orElseGet(() -> continued(run));
    };
  }

  /** Fails a run that missed a deadline, in any phase. */
  private Run failed(Run run, Failure missed) {
    return switch (run.open().orElseThrow()) {
      case Phase.Finishing(var failure) ->
          run.then(new RunChange.RunFailed(failure.orElse(missed)), now, Actor.SERVER);
      case Phase.Held _, Phase.InDoubt _ when run.step().orElseThrow().isAtMostOnce() ->
          ended(run, inDoubt(missed));
      case Phase.Ready _, Phase.Blocked _, Phase.Held _, Phase.InDoubt _, Phase.Waiting _ ->
          ended(run, missed);
    };
  }

  private Run ended(Run run, Failure failure) {
    return run.then(new RunChange.StepFailed(failure), now, Actor.SERVER)
        .then(new RunChange.RunFailed(failure), now, Actor.SERVER);
  }

  /** A step that runs at most once may have had its effect, which an operator settles. */
  private static Failure inDoubt(Failure missed) {
    return new Failure(
        FailTask.UNKNOWN_EFFECT, missed.code() + ": " + missed.message(), Optional.empty());
  }

  private Run continued(Run run) {
    return switch (run.phase()) {
      case Phase.Ready(var due, _) ->
          now.isBefore(due) || run.tokens().isAwaiting() || run.needsDefinitionTurn()
              ? run
              : enter(run);
      case Phase.Waiting waiting -> waiting.isOver(now) ? timedOut(run) : run;
      case Phase.Finishing(var failure) ->
          run.then(
              failure
                  .<RunChange>map(RunChange.RunFailed::new)
                  .orElseGet(RunChange.RunCompleted::new),
              now,
              Actor.SERVER);
      case Phase.Blocked _, Phase.Held _, Phase.InDoubt _, Phase.Paused _, Phase.Ended _ -> run;
    };
  }

  /** The server enters timer and signal steps itself. */
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

  private Run timedOut(Run run) {
    return switch (run.step().orElseThrow().kind()) {
      case StepDefinition.Timer _ -> completed(run, Optional.empty(), List.of());
      case StepDefinition.Signal _ ->
          run.then(new RunChange.StepFailed(TIMED_OUT), now, Actor.SERVER);
      case StepDefinition.Task _, StepDefinition.Code _ ->
          run.then(new RunChange.StepResumed(Optional.empty()), now, Actor.SERVER);
    };
  }

  /**
   * Delivers the awaited signal: a signal step completes with it, a worker's step becomes ready.
   */
  Run deliver(Run run, String signalId, Optional<Payload> payload) {
    return proceed(
        run.step().orElseThrow().kind() instanceof StepDefinition.Signal
            ? completed(run, payload, List.of(signalId))
            : run.then(new RunChange.StepResumed(Optional.of(signalId)), now, Actor.SERVER));
  }

  private Run completed(Run run, Optional<Payload> output, List<String> consumed) {
    return run.then(
        new RunChange.StepCompleted(output, Optional.empty(), consumed, false), now, Actor.SERVER);
  }

  /**
   * Releases the step as the same attempt. In a full history a release counts as an attempt, so
   * that a step which every worker releases fails in the end.
   */
  Run released(Run run, Duration delay, Optional<Failure> reason, Actor actor) {
    if (run.hasRoom()) {
      return run.then(RunChange.LeaseGivenBack.after(delay, reason, now), now, actor);
    }
    var change =
        run.position().isLastAttempt()
            ? new RunChange.StepFailed(RunChange.LeaseGivenBack.FULL)
            : new RunChange.RetryScheduled(RunChange.LeaseGivenBack.FULL, now.plus(delay));
    return proceed(run.then(change, now, actor));
  }

  private Run expired(Run run) {
    var held = run.step().orElseThrow().isAtMostOnce();
    var timedOut = run.held().filter(Phase.Held::isCut).isPresent();
    var change = new RunChange.LeaseLost(held, timedOut);
    var lost = run.then(change, now, Actor.SERVER);
    var isLast =
        run.position().isLastAttempt()
            || (timedOut && !run.work().orElseThrow().retry().allowsRetryOf(change.failure()));
    return isLast && !held
        ? lost.then(new RunChange.StepFailed(change.failure()), now, Actor.SERVER)
        : lost;
  }
}
