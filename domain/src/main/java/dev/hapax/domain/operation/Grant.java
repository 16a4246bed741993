package dev.hapax.domain.operation;

import dev.hapax.domain.Fence;
import java.time.Duration;
import java.time.Instant;

/**
 * The last grant of an operation: the right to complete or fail it.
 *
 * @param nonce random; together with the fence the proof of ownership, also after a failover that
 *     lost the last grants and issues a fence twice
 * @param attempt 1 for the key's first grant, then counting up
 * @param account on whose behalf the caller acts
 * @param expiresAt when the result expires; applies only once the operation has ended
 */
public record Grant(
    long nonce, Fence fence, int attempt, String account, Instant at, Instant expiresAt) {

  boolean isHeldBy(OperationClaim claim) {
    return nonce == claim.nonce() && fence.equals(claim.fence());
  }

  /** Whether the claim can belong to this grant or to an earlier one of the same key. */
  boolean isOrFollows(OperationClaim claim) {
    return isHeldBy(claim) || (nonce != claim.nonce() && claim.fence().compareTo(fence) < 0);
  }

  /**
   * The grant of an operator's resolution, whose time to live begins now. No caller has its claim.
   */
  Grant resolvedBy(ResolveOperation command, Instant now) {
    var ttl = Duration.between(at, expiresAt);
    return new Grant(command.nonce(), fence.next(now), attempt, account, now, now.plus(ttl));
  }
}
