package dev.hapax.domain.entity;

import java.time.Duration;

/** What a module that polls gets of an entity that was found to be stuck. */
public sealed interface ClaimRecoveryOutcome {
  /**
   * It has to look what became of the action.
   *
   * @param lost the grant whose work is to be looked for, by its fence
   */
  record Claimed(RecoveryClaim claim, Entity entity, ActionGrant lost, Duration leaseRemaining)
      implements ClaimRecoveryOutcome {

    /** The same for a caller who counts the lease from when it began to wait. */
    public Claimed afterWaiting(Duration waited) {
      return new Claimed(claim, entity, lost, leaseRemaining.plus(waited));
    }
  }

  /** It is alive, or gone, or for another janitor; nothing changed. */
  record Left() implements ClaimRecoveryOutcome {}
}
