package dev.hapax.domain.entity;

import java.time.Duration;
import java.util.Optional;

/** The outcome of {@link BeginAction}. */
public sealed interface BeginActionOutcome {
  /**
   * The caller may act on the entity.
   *
   * @param lease as requested; also the default of renewals
   * @param action the name of the action
   * @param reentrant the same attempt had been granted before
   */
  record Granted(
      ActionClaim claim,
      Duration lease,
      Entity entity,
      Optional<String> action,
      Duration leaseRemaining,
      boolean reentrant)
      implements BeginActionOutcome {

    /**
     * Adds the time that the call waited: callers count the lease from when they sent the request.
     */
    public Granted afterWaiting(Duration waited) {
      return new Granted(claim, lease, entity, action, leaseRemaining.plus(waited), reentrant);
    }
  }

  /** Another caller holds the entity while its lease lasts. */
  record ClaimFailed(ActionGrant holder, Duration leaseRemaining) implements BeginActionOutcome {}

  /** The entity is free, but no step of this key begins in its status for this requester. */
  record WrongStatus(String status) implements BeginActionOutcome {}

  /** No step of this key is for this requester, in any status. */
  record NotAllowed() implements BeginActionOutcome {}

  /**
   * The holder's lease expired, and the module has to find out first whether the action took
   * effect.
   */
  record NeedsRecovery() implements BeginActionOutcome {}

  /** The lifecycle does not exist. */
  record NoLifecycle() implements BeginActionOutcome {}

  /** The lifecycle exists, but the entity does not. */
  record NoEntity() implements BeginActionOutcome {}

  /** The entity's version is not the expected one; nothing changed. */
  record Moved(Entity entity) implements BeginActionOutcome {}

  /**
   * A change of the lifecycle is in progress, which may remove statuses of this step; retry later.
   */
  record Changing() implements BeginActionOutcome {}
}
