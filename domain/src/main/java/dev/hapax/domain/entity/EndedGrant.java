package dev.hapax.domain.entity;

import java.util.Optional;

/**
 * The end of a grant, kept so that a repeated call gets the same response.
 *
 * @param nonce of the grant
 * @param version of the event that ended it
 */
public record EndedGrant(long nonce, long version, How how) {
  /** The ways in which a grant ends. */
  public enum How {
    COMPLETED,
    FAILED,
    /** The lease expired, and the entity was reclaimed or is under recovery. */
    LEASE_LOST,
    /** An operator released the claim. */
    RELEASED,
    /** The module found that the action took effect. */
    RECOVERED_DONE,
    /** The module found that the action did not take effect. */
    RECOVERED_UNDONE
  }

  /** The grant that an event ended on behalf of its holder, if any. */
  public static Optional<EndedGrant> byHolder(EntityEvent event) {
    return how(event.change())
        .map(how -> new EndedGrant(event.actor().nonce(), event.version(), how));
  }

  private static Optional<How> how(EntityChange change) {
    return switch (change) {
      case EntityChange.ActionCompleted _ -> Optional.of(How.COMPLETED);
      case EntityChange.ActionFailed _ -> Optional.of(How.FAILED);
      case EntityChange.Recovered(var verdict, _) ->
          Optional.of(
              verdict == RecoveryVerdict.COMPLETE ? How.RECOVERED_DONE : How.RECOVERED_UNDONE);
      case EntityChange.Created _,
          EntityChange.ActionBegan _,
          EntityChange.ClaimReverted _,
          EntityChange.RecoveryBegan _,
          EntityChange.ClaimReleased _,
          EntityChange.Deleted _ ->
          Optional.empty();
    };
  }

  boolean isOf(ActionClaim claim) {
    return nonce == claim.nonce() && version == claim.version() + 1;
  }

  boolean isOf(RecoveryClaim claim) {
    return nonce == claim.nonce() && version == claim.version() + 1;
  }

  /** The reason for rejecting a different call of its holder. */
  public ActionClaimLost.Reason reason() {
    return switch (how) {
      case COMPLETED, FAILED, RECOVERED_DONE, RECOVERED_UNDONE -> ActionClaimLost.Reason.ENDED;
      case LEASE_LOST -> ActionClaimLost.Reason.LEASE_LOST;
      case RELEASED -> ActionClaimLost.Reason.RELEASED;
    };
  }
}
