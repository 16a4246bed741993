package dev.hapax.domain.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** A kind of event in a run's history. The history is enough to rebuild the run. */
public sealed interface RunChange {

  /** When the step is retried, if this change schedules a retry. */
  default Optional<Instant> retryAt() {
    return this instanceof RetryScheduled(_, var due) ? Optional.of(due) : Optional.empty();
  }

  /** Whether the run has ended with this change. */
  default boolean endsRun() {
    return this instanceof RunCompleted
        || this instanceof RunFailed
        || this instanceof RunCancelled;
  }

  /**
   * Whether a run that had a turn at its step may have lost it, so that its place is free for
   * others.
   */
  default boolean mayEndTurn() {
    return switch (this) {
      case StepCompleted _,
          StepFailed _,
          StepSuspended _,
          StepResumed _,
          RetryScheduled _,
          LeaseLost _,
          LeaseGivenBack _,
          StepSettled _,
          Paused _,
          Retried _,
          RunCompleted _,
          RunFailed _,
          RunCancelled _ ->
          true;
      case Created _,
          StepStarted _,
          StepRecorded _,
          PartBegun _,
          PartFailed _,
          SignalReceived _,
          Resumed _,
          HookCreated _,
          HookDisposed _,
          Superseded _,
          Blocked _,
          Admitted _ ->
          false;
    };
  }

  /** Whether this change released a task, also in a full history. */
  default boolean isRelease() {
    return this instanceof LeaseGivenBack
        || findFailure().filter(LeaseGivenBack.FULL::equals).isPresent();
  }

  /** The failure that this change records, if any. */
  default Optional<Failure> findFailure() {
    return switch (this) {
      case StepFailed(var failure) -> Optional.of(failure);
      case RetryScheduled(var failure, _) -> Optional.of(failure);
      case RunFailed(var failure) -> Optional.of(failure);
      case LeaseLost lost -> Optional.of(lost.failure());
      case Created _,
          StepStarted _,
          StepCompleted _,
          StepSuspended _,
          StepResumed _,
          LeaseGivenBack _,
          StepRecorded _,
          PartBegun _,
          PartFailed _,
          StepSettled _,
          SignalReceived _,
          Paused _,
          Resumed _,
          Retried _,
          RunCompleted _,
          RunCancelled _,
          HookCreated _,
          HookDisposed _,
          Superseded _,
          Blocked _,
          Admitted _ ->
          Optional.empty();
    };
  }

  record Created(RunOrigin origin) implements RunChange {}

  /**
   * A step started.
   *
   * @param grant of the worker; empty = the server entered the step
   */
  record StepStarted(Optional<TaskGrant> grant) implements RunChange {}

  /**
   * A step completed.
   *
   * @param patch merged into the run's state
   * @param consumed ids of the signals it used up
   * @param skipped the worker found nothing to do
   */
  record StepCompleted(
      Optional<Payload> output, Optional<Json.Obj> patch, List<String> consumed, boolean skipped)
      implements RunChange {
    public StepCompleted {
      consumed = List.copyOf(consumed);
    }
  }

  /** A step failed for good. */
  record StepFailed(Failure failure) implements RunChange {}

  /** A step waits for a time or a signal, whichever comes first. */
  record StepSuspended(
      Optional<Instant> until, Optional<SignalFilter> signal, Optional<Json.Obj> patch)
      implements RunChange {}

  /**
   * A waiting worker's step is ready again.
   *
   * @param signalId of the signal that it waited for; empty = the wait timed out
   */
  record StepResumed(Optional<String> signalId) implements RunChange {}

  /** An attempt failed; the next begins not before {@code due}. */
  record RetryScheduled(Failure failure, Instant due) implements RunChange {}

  /**
   * The lease of a worker expired.
   *
   * @param held the step runs at most once: no other worker gets it, since its effect is in doubt
   * @param timedOut with the time of the attempt
   */
  record LeaseLost(boolean held, boolean timedOut) implements RunChange {
    private static final Failure EXPIRED =
        new Failure("LEASE_LOST", "the lease was not renewed in time", Optional.empty());
    private static final Failure TIMED_OUT =
        new Failure(
            "ATTEMPT_TIMEOUT", "the attempt did not end before its timeout", Optional.empty());

    public Failure failure() {
      return timedOut ? TIMED_OUT : EXPIRED;
    }
  }

  /**
   * A lease ended without counting as an attempt: the worker released it or never received it.
   *
   * @param due when the step is offered again; empty = at once
   * @param reason why the worker released it; empty = it gave none
   */
  record LeaseGivenBack(Optional<Instant> due, Optional<Failure> reason) implements RunChange {
    /** The failure that replaces a release or return when the history is full. */
    static final Failure FULL =
        new Failure(
            "EVENT_LIMIT",
            String.format(
                Locale.ROOT,
                "the run has %d events: a task that is released or not delivered costs an attempt",
                Run.MAX_EVENTS),
            Optional.empty());

    static LeaseGivenBack after(Duration delay, Optional<Failure> reason, Instant now) {
      return new LeaseGivenBack(
          delay.isZero() ? Optional.empty() : Optional.of(now.plus(delay)), reason);
    }
  }

  /** A change of a part, which the worker's code named. */
  sealed interface OfPart extends RunChange {
    String name();
  }

  /**
   * The output of a part was recorded.
   *
   * @param consumed ids of the signals it used up
   * @param patch merged into the run's state
   * @param elapsed how long the body ran, by the worker's clock
   */
  record StepRecorded(
      String name,
      Payload output,
      List<String> consumed,
      Optional<Json.Obj> patch,
      Optional<Duration> elapsed,
      PartTraits traits)
      implements OfPart {
    public StepRecorded {
      consumed = List.copyOf(consumed);
    }

    StepRecorded with(List<String> newlyConsumed, Optional<Json.Obj> statePatch) {
      return new StepRecorded(name, output, newlyConsumed, statePatch, elapsed, traits);
    }
  }

  /** The body of a part that runs at most once is about to run. */
  record PartBegun(String name, int attempt) implements OfPart {}

  /**
   * An attempt of a part failed.
   *
   * @param retryAt when the next attempt is due; empty = there is none
   */
  record PartFailed(String name, int attempt, Failure failure, Optional<Instant> retryAt)
      implements OfPart {}

  /**
   * An operator decided how a step or part ends.
   *
   * @param part empty = the step itself
   * @param requestId the caller's nonce, so that a repeated call changes nothing
   * @param reason the evidence
   */
  record StepSettled(Optional<String> part, Verdict verdict, String requestId, String reason)
      implements RunChange {}

  /** How an operator settles a step or part. */
  sealed interface Verdict {
    /**
     * Its effect happened.
     *
     * @param patch merged into the run's state
     */
    record Complete(Optional<Payload> output, Optional<Json.Obj> patch) implements Verdict {}

    /** The step ends without its effect. */
    record Skip() implements Verdict {}

    /** Its effect did not happen, and will not. */
    record Fail(Failure failure) implements Verdict {}

    /** Its effect did not happen: it is attempted again. */
    record Repeat() implements Verdict {}
  }

  /**
   * The inbox received a signal.
   *
   * @param hook the token through which it arrived; empty = it was sent to the run itself
   */
  record SignalReceived(
      String signalId, String type, Optional<SourceHook> hook, Optional<Payload> payload)
      implements RunChange {}

  record Paused(String reason) implements RunChange {}

  record Resumed(String reason) implements RunChange {}

  /**
   * A failed run was retried.
   *
   * @param requestId the caller's nonce, so that a repeated call changes nothing
   */
  record Retried(String requestId, String reason) implements RunChange {}

  record RunCompleted() implements RunChange {}

  record RunFailed(Failure failure) implements RunChange {}

  /**
   * An operator, or another run that took its token, cancelled the run.
   *
   * @param by the run that took its token
   */
  record RunCancelled(String reason, Optional<RunId> by) implements RunChange {}

  /**
   * The run acquired a hook token.
   *
   * @param hook hash of the token
   * @param name by which the run refers to it; empty = none
   * @param retention of the token after the end of the run
   * @param from the former owner
   */
  record HookCreated(UUID hook, String name, Duration retention, Optional<RunId> from)
      implements RunChange {}

  /** The run disposed of a hook token. */
  record HookDisposed(UUID hook, String reason) implements RunChange {}

  /**
   * Another run took the idempotency key of this ended run, or a token that it still retained.
   *
   * @param byKey whether it took the key
   */
  record Superseded(RunId by, boolean byKey) implements RunChange {}

  /**
   * The run waits in line for tokens, or for its step.
   *
   * @param turn its number in their lines
   * @param limit of the step; empty = the run waits for the tokens
   */
  record Blocked(long turn, List<AwaitedToken> tokens, Optional<FullLimit> limit)
      implements RunChange {
    public Blocked {
      tokens = List.copyOf(tokens);
      if (tokens.isEmpty() == limit.isEmpty()) {
        throw new IllegalArgumentException("a run waits for tokens or for a step");
      }
    }
  }

  /**
   * The first limit of a step or definition that had no room, or for which others waited.
   *
   * @param ofDefinition whether it is one of the definition
   * @param isRate whether it had room, but for its rate
   * @param lines of all limits of the step or definition
   */
  record FullLimit(
      boolean ofDefinition, String name, String key, boolean isRate, List<UUID> lines) {
    public FullLimit {
      lines = List.copyOf(lines);
    }
  }

  /** It is the turn of the run, which acquires the tokens next, or enters the queue of its step. */
  record Admitted(long turn, Duration waited) implements RunChange {}
}
