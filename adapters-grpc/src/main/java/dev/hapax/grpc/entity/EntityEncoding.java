package dev.hapax.grpc.entity;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.ActionClaimLost;
import dev.hapax.domain.entity.ClaimState;
import dev.hapax.domain.entity.Entity;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.PresentedClaim;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.EntityClaim;

/** Encodes entities. */
public final class EntityEncoding {
  private EntityEncoding() {}

  public static dev.hapax.v1.Entity entity(Entity entity) {
    var message =
        dev.hapax.v1.Entity.newBuilder()
            .setLifecycle(entity.id().lifecycle())
            .setId(entity.id().id())
            .setStatus(entity.status())
            .setVersion(entity.version())
            .setWorkspace(entity.id().workspace().name())
            .setCreatedAt(Durations.encode(entity.createdAt()))
            .setFence(entity.fence().value());
    entity.held().map(EntityEncoding::claim).ifPresent(message::setClaim);
    return message.build();
  }

  private static EntityClaim claim(ClaimState.Held taken) {
    var action = taken.action();
    var message =
        EntityClaim.newBuilder()
            .setHolder(action.holder())
            .setHolderPrincipal(action.principal().text())
            .setSince(Durations.encode(action.since()))
            .setLeaseUntil(Durations.encode(taken.leaseUntil()))
            .setStepKey(action.transition().step())
            .setRequester(action.transition().requester())
            .setRevertTo(action.claim().revertTo())
            .setModule(action.module())
            .setFence(action.fence().value());
    action.transition().action().ifPresent(message::setAction);
    if (taken instanceof ClaimState.Recovering recovering) {
      var recovery = recovering.recovery();
      message
          .setRecoveringBy(recovery.worker())
          .setRecoveringByPrincipal(recovery.principal().text());
    }
    return message.build();
  }

  /** Encodes the loss of an action or a recovery. */
  public static dev.hapax.v1.ClaimLost claimLost(Workspace workspace, ActionClaimLost lost) {
    return lost.reason() == ActionClaimLost.Reason.UNKNOWN_CLAIM
        ? PresentedClaim.unknown(workspace)
        : dev.hapax.v1.ClaimLost.newBuilder().setReason(reason(lost.reason())).build();
  }

  private static ClaimLostReason reason(ActionClaimLost.Reason reason) {
    return switch (reason) {
      case LEASE_LOST -> ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST;
      case RELEASED -> ClaimLostReason.CLAIM_LOST_REASON_RELEASED;
      case ENDED -> ClaimLostReason.CLAIM_LOST_REASON_ENDED;
      case VERSION -> ClaimLostReason.CLAIM_LOST_REASON_VERSION;
      case LIFECYCLE_CHANGED -> ClaimLostReason.CLAIM_LOST_REASON_LIFECYCLE_CHANGED;
      case UNKNOWN_CLAIM -> ClaimLostReason.CLAIM_LOST_REASON_UNKNOWN_CLAIM;
    };
  }
}
