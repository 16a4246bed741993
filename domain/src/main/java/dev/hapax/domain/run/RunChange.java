package dev.hapax.domain.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** What can happen to a run. Its history is enough to rebuild it. */
public sealed interface RunChange {

  /** When it lets the step be tried again, if it does. */
  default Optional<Instant> retryAt() {
    return this instanceof RetryScheduled(_, var due) ? Optional.of(due) : Optional.empty();
  }

  /** Whether it released a task, also in a full history. */
  default boolean isRelease() {
    return this instanceof LeaseGivenBack
        || wentWrong().filter(LeaseGivenBack.FULL::equals).isPresent();
  }

  /** What went wrong, if that is what happened. */
  default Optional<Failure> wentWrong() {
    return switch (this) {
      case StepFailed(var failure) -> Optional.of(failure);
      case RetryScheduled(var failure, _) -> Optional.of(failure);
      case RunFailed(var failure) -> Optional.of(failure);
      case LeaseLost _ -> Optional.of(LeaseLost.FAILURE);
      case Created _,
          StepStarted _,
          StepCompleted _,
          StepSuspended _,
          StepResumed _,
          LeaseGivenBack _,
          StepRecorded _,
          SignalReceived _,
          Paused _,
          Resumed _,
          Retried _,
          RunCompleted _,
          RunCancelled _,
          HookCreated _,
          HookDisposed _,
          Superseded _ ->
          Optional.empty();
    };
  }

  record Created(RunOrigin origin) implements RunChange {}

  /**
   * A step began.
   *
   * @param grant the worker's; empty = the server itself entered it
   */
  record StepStarted(Optional<TaskGrant> grant) implements RunChange {}

  /**
   * A step is done.
   *
   * @param patch of the run's state
   * @param consumed the signals it used up
   * @param skipped there was nothing to do
   */
  record StepCompleted(
      Optional<Payload> output, Optional<Json.Obj> patch, List<String> consumed, boolean skipped)
      implements RunChange {
    public StepCompleted {
      consumed = List.copyOf(consumed);
    }
  }

  /** A step failed, and is not tried again. */
  record StepFailed(Failure failure) implements RunChange {}

  /** A step waits, for whichever of these comes first. */
  record StepSuspended(
      Optional<Instant> until, Optional<SignalFilter> signal, Optional<Json.Obj> patch)
      implements RunChange {}

  /**
   * A worker's step goes on.
   *
   * @param signalId of the signal that it waited for; empty = its time has come
   */
  record StepResumed(Optional<String> signalId) implements RunChange {}

  /** An attempt failed; the next begins not before {@code due}. */
  record RetryScheduled(Failure failure, Instant due) implements RunChange {}

  /** A worker did not renew its lease in time. */
  record LeaseLost() implements RunChange {
    static final Failure FAILURE =
        new Failure("LEASE_LOST", "the lease was not renewed in time", Optional.empty());
  }

  /**
   * A lease ended without costing an attempt: its worker released it, or never received it.
   *
   * @param due when the step is offered again; empty = at once
   */
  record LeaseGivenBack(Optional<Instant> due) implements RunChange {
    /** What a release or a give-back counts as once the history has no room for it. */
    static final Failure FULL =
        new Failure(
            "EVENT_LIMIT",
            "the run has %d events: a task that is released or not delivered costs an attempt"
                .formatted(Run.MAX_EVENTS),
            Optional.empty());

    static LeaseGivenBack after(Duration delay, Instant now) {
      return new LeaseGivenBack(delay.isZero() ? Optional.empty() : Optional.of(now.plus(delay)));
    }
  }

  /** Code recorded a step it named itself. */
  record StepRecorded(String name, Payload output, List<String> consumed) implements RunChange {
    public StepRecorded {
      consumed = List.copyOf(consumed);
    }
  }

  /**
   * A signal came into the inbox.
   *
   * @param hook the token through which it arrived; empty = it was sent to the run itself
   */
  record SignalReceived(
      String signalId, String type, Optional<SourceHook> hook, Optional<Payload> payload)
      implements RunChange {}

  record Paused(String reason) implements RunChange {}

  record Resumed(String reason) implements RunChange {}

  /**
   * A failed run goes on.
   *
   * @param requestId the caller's nonce, so that the same call again changes nothing
   */
  record Retried(String requestId, String reason) implements RunChange {}

  record RunCompleted() implements RunChange {}

  record RunFailed(Failure failure) implements RunChange {}

  /**
   * A person, or another run that took its token, ended it.
   *
   * @param by the run that took its token
   */
  record RunCancelled(String reason, Optional<RunId> by) implements RunChange {}

  /**
   * The run got a token.
   *
   * @param hook stands for the token
   * @param name what the run calls it; empty = it has no name
   * @param retention how long the token is kept after the end of the run
   * @param from the run it was taken from
   */
  record HookCreated(UUID hook, String name, Duration retention, Optional<RunId> from)
      implements RunChange {}

  /** The run gave a token up. */
  record HookDisposed(UUID hook) implements RunChange {}

  /** The run had ended, and this one took a token that it still kept. */
  record Superseded(RunId by) implements RunChange {}
}
