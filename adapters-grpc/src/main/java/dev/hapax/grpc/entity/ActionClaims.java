package dev.hapax.grpc.entity;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.operation.Identities;
import dev.hapax.grpc.call.Packed;
import dev.hapax.grpc.call.SealedClaims;
import dev.hapax.v1.Claim;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Claims of actions. Of those that are not exclusive nothing is stored, so the id says it all. */
final class ActionClaims {
  private static final int EXCLUSIVE = 1;
  private static final int HAS_EFFECT = 2;
  private final SealedClaims sealed;

  ActionClaims(Identities identities) {
    this.sealed = new SealedClaims(identities, "action_");
  }

  Claim write(ActionClaim claim) {
    var names =
        Packed.names(
            claim.entity().lifecycle(),
            claim.entity().id(),
            claim.step(),
            claim.requester(),
            claim.module());
    var content =
        ByteBuffer.allocate(1 + 2 * Long.BYTES + names.length)
            .put(flags(claim))
            .putLong(claim.version())
            .putLong(claim.nonce())
            .put(names);
    return sealed.write(claim.entity().workspace(), claim.fence(), content.array());
  }

  private static byte flags(ActionClaim claim) {
    return (byte) ((claim.exclusive() ? EXCLUSIVE : 0) | (claim.hasEffect() ? HAS_EFFECT : 0));
  }

  /** Empty if it was never one of ours. */
  Optional<ActionClaim> read(Workspace workspace, Claim sent) {
    return sealed
        .read("claim", workspace, sent)
        .map(content -> claim(workspace, new Fence(sent.getFence()), content));
  }

  private static ActionClaim claim(Workspace workspace, Fence fence, ByteBuffer content) {
    var flags = content.get();
    var version = content.getLong();
    var nonce = content.getLong();
    return new ActionClaim(
        new EntityId(workspace, Packed.name(content), Packed.name(content)),
        Packed.name(content),
        Packed.name(content),
        Packed.name(content),
        version,
        nonce,
        fence,
        (flags & EXCLUSIVE) != 0,
        (flags & HAS_EFFECT) != 0);
  }
}
