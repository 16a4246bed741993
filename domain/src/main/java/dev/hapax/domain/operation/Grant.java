package dev.hapax.domain.operation;

import dev.hapax.domain.Fence;
import java.time.Duration;
import java.time.Instant;

/**
 * The last right to finish an operation.
 *
 * @param nonce drawn for this grant; with the fence it is the proof of ownership, also after a
 *     failover that lost the last grants and hands out a fence twice
 * @param attempt 1 for the key's first grant, one more for each after it
 * @param account on whose behalf this grant was made
 * @param expiresAt when the answer is forgotten; counts only once the operation has ended
 */
public record Grant(
    long nonce, Fence fence, int attempt, String account, Instant at, Instant expiresAt) {

  boolean isHeldBy(OperationClaim claim) {
    return nonce == claim.nonce() && fence.equals(claim.fence());
  }

  /** Whether the claim can have been a grant of the same key: this one, or one before it. */
  boolean isOrFollows(OperationClaim claim) {
    return isHeldBy(claim) || (nonce != claim.nonce() && claim.fence().compareTo(fence) < 0);
  }

  /** The operator's, whose time to live begins now: no caller has its claim. */
  Grant resolvedBy(ResolveOperation command, Instant now) {
    var ttl = Duration.between(at, expiresAt);
    return new Grant(command.nonce(), fence.next(now), attempt, account, now, now.plus(ttl));
  }
}
