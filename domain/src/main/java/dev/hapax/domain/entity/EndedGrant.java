package dev.hapax.domain.entity;

import java.util.Optional;

/**
 * How a grant ended, so that its holder can be told again.
 *
 * @param nonce of the grant
 * @param version of the event that ended it
 */
public record EndedGrant(long nonce, long version, How how) {
  /** What ended it. */
  public enum How {
    COMPLETED,
    FAILED,
    /** Its lease was over, and the entity was taken back or is looked into. */
    LEASE_LOST,
    /** An operator took the entity back. */
    RELEASED,
    /** The module found that the action had been done. */
    RECOVERED_DONE,
    /** The module found that it had not. */
    RECOVERED_UNDONE
  }

  /** What an event ended, if it ended something for the one who did it. */
  public static Optional<EndedGrant> byHolder(EntityEvent event) {
    return how(event.change()).map(how -> new EndedGrant(event.by().nonce(), event.version(), how));
  }

  private static Optional<How> how(EntityChange change) {
    return switch (change) {
      case EntityChange.ActionCompleted _ -> Optional.of(How.COMPLETED);
      case EntityChange.ActionFailed _ -> Optional.of(How.FAILED);
      case EntityChange.Recovered(var verdict) ->
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

  /** What its holder is told that asks for something else. */
  public ActionClaimLost.Reason reason() {
    return switch (how) {
      case COMPLETED, FAILED, RECOVERED_DONE, RECOVERED_UNDONE -> ActionClaimLost.Reason.ENDED;
      case LEASE_LOST -> ActionClaimLost.Reason.LEASE_LOST;
      case RELEASED -> ActionClaimLost.Reason.RELEASED;
    };
  }
}
