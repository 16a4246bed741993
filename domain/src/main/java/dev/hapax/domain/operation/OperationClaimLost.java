package dev.hapax.domain.operation;

import java.util.Optional;

/**
 * The claim does not hold the operation, and what it asked for was not done.
 *
 * @param standing what is there instead; empty = the claim names nothing
 */
public record OperationClaimLost(OperationClaim claim, Optional<Operation> standing)
    implements CompleteOutcome, FailOutcome, RenewOutcome {

  /** Why a claim holds nothing. */
  public enum Reason {
    /** It names nothing: it was never granted, or the operation has been removed. */
    UNKNOWN_CLAIM,
    /** Its lease expired or was given back, and another attempt acquired the operation. */
    LEASE_LOST,
    /** The same claim has ended the operation otherwise. */
    ENDED,
    /** An operator has resolved the operation since. */
    RESOLVED
  }

  /** A claim that was never given, such as a right id with a wrong fence, is told nothing. */
  static OperationClaimLost tell(OperationClaim claim, Optional<Operation> found) {
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
