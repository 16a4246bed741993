package dev.hapax.domain.entity;

import java.util.Optional;

/**
 * The claim does not hold the entity, and what it asked for was not done now. It may have been done
 * before: if {@link EntityReads#endedBy} finds the event, {@link EndedGrant#byHolder} tells.
 */
public record ActionClaimLost(Reason reason)
    implements CompleteActionOutcome,
        FailActionOutcome,
        RenewActionOutcome,
        CompleteRecoveryOutcome {

  /** Why a claim holds nothing. */
  public enum Reason {
    /** Its lease was over, and the entity was taken back or given to somebody else. */
    LEASE_LOST,
    /** An operator took the entity back. */
    RELEASED,
    /** The same claim has ended otherwise. */
    ENDED,
    /** It was not exclusive, and somebody else was first. */
    VERSION,
    /** It was not exclusive, and the step is another one by now. */
    LIFECYCLE_CHANGED,
    /** It names nothing that is here. */
    UNKNOWN_CLAIM
  }

  static ActionClaimLost tell(ActionClaim claim, Optional<Entity> found) {
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

  static ActionClaimLost tell(RecoveryClaim claim, Optional<Entity> found) {
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
