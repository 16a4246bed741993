package dev.hapax.domain.operation;

import java.util.Optional;

/**
 * The claim does not hold the operation, and what it asked for was not done.
 *
 * @param standing what is there instead; empty = the claim names nothing
 */
public record ClaimLost(Optional<Operation> standing)
    implements CompleteOutcome, FailOutcome, RenewOutcome {

  /** A claim that was never given, such as a right id with a wrong fence, is told nothing. */
  static ClaimLost tell(OperationClaim claim, Optional<Operation> found) {
    return new ClaimLost(found.filter(operation -> operation.grant().isOrFollows(claim)));
  }
}
