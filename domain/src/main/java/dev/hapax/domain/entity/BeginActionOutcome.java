package dev.hapax.domain.entity;

import java.time.Duration;
import java.util.Optional;

/** What a Begin is told. */
public sealed interface BeginActionOutcome {
  /**
   * Do it.
   *
   * @param lease as it was asked for: that of a renewal that asks for none
   * @param action what to do, by name
   * @param reentrant the same attempt had been told so before
   */
  record Granted(
      ActionClaim claim,
      Duration lease,
      Entity entity,
      Optional<String> action,
      Duration leaseRemaining,
      boolean reentrant)
      implements BeginActionOutcome {

    /** Callers count the lease from when they sent, and the grant was made so much later. */
    public Granted afterWaiting(Duration waited) {
      return new Granted(claim, lease, entity, action, leaseRemaining.plus(waited), reentrant);
    }
  }

  /** Another operation is already in progress, for as long as the lease remains or is renewed. */
  record ClaimFailed(ActionGrant holder, Duration leaseRemaining) implements BeginActionOutcome {}

  /** The entity is free, but no step of this key begins in its status for this requester. */
  record WrongStatus(String status) implements BeginActionOutcome {}

  /** No step of this key is for this requester, in any status. */
  record NotAllowed() implements BeginActionOutcome {}

  /** Whoever acted on it is gone, and its module has to look first what was done. */
  record NeedsRecovery() implements BeginActionOutcome {}

  /** There is no such lifecycle. */
  record NoLifecycle() implements BeginActionOutcome {}

  /** There is the lifecycle, and no such entity of it. */
  record NoEntity() implements BeginActionOutcome {}

  /** The entity is not at the version that was expected; nothing changed. */
  record Moved(Entity entity) implements BeginActionOutcome {}

  /**
   * The lifecycle is being changed; soon it is known whether it keeps the statuses of this step.
   */
  record Changing() implements BeginActionOutcome {}
}
