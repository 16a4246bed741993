package dev.hapax.domain.monitoring;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentOrigin;
import dev.hapax.domain.intent.IntentOutcome;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;

/** A committed event that operators count or search for, without payloads. */
public sealed interface WorkEvent {
  Workspace workspace();

  /** An event of one run. */
  sealed interface OfRun extends WorkEvent {
    RunId run();

    @Override
    default Workspace workspace() {
      return run().workspace();
    }
  }

  /** A run ended as COMPLETED or CANCELLED. */
  record RunEnded(RunId run, String definition, RunStatus status) implements OfRun {}

  /** A run ended as FAILED. */
  record RunFailed(RunId run, String definition, String step, int attempt, String code)
      implements OfRun {}

  /**
   * The run of an after-effect ended as FAILED; the effect is missing until the run is retried.
   *
   * @param lifecycle of the entity whose transition has the effect
   */
  record EffectDeadLettered(RunId run, String effect, String lifecycle, int attempt, String code)
      implements OfRun {}

  /** An attempt failed, and a retry is scheduled. */
  record RetryScheduled(RunId run, String definition, String step, int attempt, String code)
      implements OfRun {}

  /** A worker released a step and said why. */
  record StepReleased(RunId run, String definition, String step, String reason) implements OfRun {}

  /** The lease of a task expired. */
  record TaskLeaseExpired(RunId run, String definition, String step, int attempt, String worker)
      implements OfRun {}

  /** The lease of an operation expired, and another caller began it. */
  record OperationLeaseExpired(Workspace workspace, String operation, int attempt)
      implements WorkEvent {}

  /**
   * The lease of an entity expired, and its holder lost it.
   *
   * @param recovery the holder was a recovery, not an action
   */
  record EntityLeaseExpired(
      Workspace workspace, String lifecycle, String entity, String holder, boolean recovery)
      implements WorkEvent {}

  /** An operation became INDETERMINATE, until an operator resolves it. */
  record OperationIndeterminate(Workspace workspace, String operation, int attempt)
      implements WorkEvent {}

  /** A server has taken an intent. */
  record IntentTaken(IntentId intent, IntentOrigin origin, IntentOutcome outcome)
      implements WorkEvent {
    @Override
    public Workspace workspace() {
      return intent.workspace();
    }
  }
}
