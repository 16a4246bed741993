package dev.hapax.domain.entity;

import java.util.Optional;

/**
 * The outcome of a call whose claim no longer holds the entity. The call changed nothing, but may
 * have succeeded before: see {@link EntityReads#endedBy} and {@link EndedGrant#byHolder}.
 */
public record ActionClaimLost(Reason reason)
    implements CompleteActionOutcome,
        FailActionOutcome,
        RenewActionOutcome,
        CompleteRecoveryOutcome {

  /** Why a claim holds nothing. */
  public enum Reason {
    /** The lease expired, and the entity was reclaimed or granted again. */
    LEASE_LOST,
    /** An operator released the claim. */
    RELEASED,
    /** The same claim has ended the action in another way. */
    ENDED,
    /** The claim was not exclusive, and another caller completed first. */
    VERSION,
    /** The claim was not exclusive, and the lifecycle has changed the step. */
    LIFECYCLE_CHANGED,
    /** The claim does not match any grant of an existing entity. */
    UNKNOWN_CLAIM
  }

  static ActionClaimLost of(ActionClaim claim, Optional<Entity> found) {
    return new ActionClaimLost(
        found
            .filter(entity -> claim.version() <= entity.version())
            .map(
                entity ->
                    entity
                        .last()
                        .filter(last -> last.isOf(claim))
                        .map(EndedGrant::reason)
                        .orElseGet(() -> withoutEvent(claim, entity)))
            .orElse(Reason.UNKNOWN_CLAIM));
  }

  private static Reason withoutEvent(ActionClaim claim, Entity entity) {
    if (claim.exclusive()) {
      return Reason.LEASE_LOST;
    }
    return claim.version() == entity.version() ? Reason.LIFECYCLE_CHANGED : Reason.VERSION;
  }

  static ActionClaimLost of(RecoveryClaim claim, Optional<Entity> found) {
    return new ActionClaimLost(
        found
            .filter(entity -> claim.version() <= entity.version())
            .map(
                entity ->
                    entity
                        .last()
                        .filter(last -> last.isOf(claim))
                        .map(EndedGrant::reason)
                        .orElse(Reason.LEASE_LOST))
            .orElse(Reason.UNKNOWN_CLAIM));
  }
}
