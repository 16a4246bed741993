package dev.hapax.domain.run;

import java.util.Optional;

/**
 * The claim does not hold its step, and what it asked for was not done now. It may have been done
 * before: the run's history tells.
 *
 * @param run as it is; empty = there is none
 */
public record TaskLost(TaskClaim claim, Optional<Run> run)
    implements CompleteTaskOutcome,
        FailTaskOutcome,
        SuspendTaskOutcome,
        HeartbeatOutcome,
        RecordStepOutcome,
        ReleaseTaskOutcome {

  /** Why a claim holds nothing. */
  public enum Reason {
    /** There is no such run, or not any more. */
    UNKNOWN_CLAIM,
    RUN_CANCELLED,
    /** Another run took over this one's token. */
    SUPERSEDED,
    /** The lease was over, and the step is somebody else's now. */
    LEASE_LOST,
    /** The step or the run is over. */
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
