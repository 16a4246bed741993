package dev.hapax.domain.entity;

import java.time.Duration;

/** The outcome of {@link BeginRecovery}. */
public sealed interface BeginRecoveryOutcome {
  /**
   * The module has to find out whether the action took effect.
   *
   * @param lost the expired grant, whose fence identifies its writes
   */
  record Claimed(RecoveryClaim claim, Entity entity, ActionGrant lost, Duration leaseRemaining)
      implements BeginRecoveryOutcome {

    /**
     * Adds the time that the call waited: callers count the lease from when they sent the request.
     */
    public Claimed afterWaiting(Duration waited) {
      return new Claimed(claim, entity, lost, leaseRemaining.plus(waited));
    }
  }

  /** The entity is not stuck, does not exist, or belongs to another janitor; nothing changed. */
  record Left() implements BeginRecoveryOutcome {}
}
