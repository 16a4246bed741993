package dev.hapax.grpc.janitor;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.RecoveryClaim;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.grpc.call.ClaimKind;
import dev.hapax.grpc.call.LengthPrefixedNames;
import dev.hapax.grpc.call.PresentedClaim;
import dev.hapax.grpc.call.SealedClaims;
import dev.hapax.v1.Claim;
import java.nio.ByteBuffer;

/** Encodes and decodes claims of recoveries. */
final class RecoveryClaims {
  private final SealedClaims sealed;

  RecoveryClaims(KeyedIds keyedIds) {
    this.sealed = new SealedClaims(keyedIds, ClaimKind.RECOVERY.prefix());
  }

  Claim write(RecoveryClaim claim) {
    var names = LengthPrefixedNames.names(claim.entity().lifecycle(), claim.entity().id());
    var content =
        ByteBuffer.allocate(1 + 2 * Long.BYTES + names.length)
            .put((byte) (claim.hasEffect() ? 1 : 0))
            .putLong(claim.version())
            .putLong(claim.nonce())
            .put(names);
    return sealed.write(claim.entity().workspace(), claim.fence(), content.array());
  }

  /** Decodes a claim; an id that this server did not sign is not found. */
  PresentedClaim<RecoveryClaim> read(String workspace, Claim sent) {
    var read =
        sealed
            .read("claim", sent)
            .map(of -> claim(of.workspace(), new Fence(sent.getFence()), of.content()));
    return PresentedClaim.of(workspace, read, claim -> claim.entity().workspace());
  }

  private static RecoveryClaim claim(Workspace workspace, Fence fence, ByteBuffer content) {
    var hasEffect = content.get() != 0;
    var version = content.getLong();
    var nonce = content.getLong();
    var entity =
        new EntityId(
            workspace, LengthPrefixedNames.name(content), LengthPrefixedNames.name(content));
    return new RecoveryClaim(entity, version, nonce, fence, hasEffect);
  }
}
