package dev.hapax.domain.run;

import java.util.Optional;

/**
 * The outcome of a call whose claim no longer holds its step. The call changed nothing, but may
 * have succeeded before: see the run's history.
 *
 * @param run its current state; empty = no such run
 */
public record TaskLost(TaskClaim claim, Optional<Run> run)
    implements CompleteTaskOutcome,
        FailTaskOutcome,
        SuspendTaskOutcome,
        HeartbeatOutcome,
        RecordStepOutcome,
        RecordPartsOutcome,
        ReleaseTaskOutcome {

  /** Why a claim holds nothing. */
  public enum Reason {
    /** The run does not exist, or no longer. */
    UNKNOWN_CLAIM,
    RUN_CANCELLED,
    /** Another run took a token of this run. */
    SUPERSEDED,
    /** The lease expired, and the step was granted again. */
    LEASE_LOST,
    /** The step or the run has ended. */
    ENDED
  }

  public Reason reason() {
    return run.map(this::reason).orElse(Reason.UNKNOWN_CLAIM);
  }

  private Reason reason(Run run) {
    return switch (run.phase()) {
      case Phase.Cancelled _ ->
          run.tokens().supersededBy().isPresent() ? Reason.SUPERSEDED : Reason.RUN_CANCELLED;
      case Phase.Completed _, Phase.Failed _ -> Reason.ENDED;
      case Phase.Open _, Phase.Paused _ ->
          claim.step() < run.position().step() ? Reason.ENDED : Reason.LEASE_LOST;
    };
  }
}
