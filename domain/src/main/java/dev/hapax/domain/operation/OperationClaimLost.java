package dev.hapax.domain.operation;

import java.util.Optional;

/**
 * The outcome of a call whose claim no longer holds the operation; the call changed nothing.
 *
 * @param standing the current operation; empty = the claim is unknown
 */
public record OperationClaimLost(OperationClaim claim, Optional<Operation> standing)
    implements CompleteOutcome, FailOutcome, RenewOutcome {

  /** Why a claim holds nothing. */
  public enum Reason {
    /** The claim was never granted, or the operation has been removed. */
    UNKNOWN_CLAIM,
    /** The lease expired or was released, and another attempt acquired the operation. */
    LEASE_LOST,
    /** The same claim has ended the operation in another way. */
    ENDED,
    /** An operator has resolved the operation since. */
    RESOLVED
  }

  /**
   * Hides the operation from a claim that was never granted, such as a right id with a wrong fence.
   */
  static OperationClaimLost of(OperationClaim claim, Optional<Operation> found) {
    return new OperationClaimLost(
        claim, found.filter(operation -> operation.grant().isOrFollows(claim)));
  }

  public Reason reason() {
    return standing.map(this::reason).orElse(Reason.UNKNOWN_CLAIM);
  }

  private Reason reason(Operation operation) {
    if (operation.grant().isHeldBy(claim)) {
      return Reason.ENDED;
    }
    return operation.subject().isResolvedSince(claim.fence()) ? Reason.RESOLVED : Reason.LEASE_LOST;
  }
}
