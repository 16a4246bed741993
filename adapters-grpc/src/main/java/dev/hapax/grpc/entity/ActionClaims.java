package dev.hapax.grpc.entity;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.grpc.call.ClaimKind;
import dev.hapax.grpc.call.LengthPrefixedNames;
import dev.hapax.grpc.call.PresentedClaim;
import dev.hapax.grpc.call.SealedClaims;
import dev.hapax.v1.Claim;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** Encodes and decodes claims of actions. Only exclusive ones are stored, so ids carry all data. */
final class ActionClaims {
  private static final int EXCLUSIVE = 1;
  private static final int HAS_EFFECT = 2;
  private final SealedClaims sealed;

  ActionClaims(KeyedIds keyedIds) {
    this.sealed = new SealedClaims(keyedIds, ClaimKind.ACTION.prefix());
  }

  /**
   * A decoded claim.
   *
   * @param lease as it was granted
   */
  record Granted(ActionClaim claim, Duration lease) {}

  Claim write(ActionClaim claim, Duration lease) {
    var names =
        LengthPrefixedNames.names(
            claim.entity().lifecycle(),
            claim.entity().id(),
            claim.step(),
            claim.requester(),
            claim.module());
    var content =
        ByteBuffer.allocate(1 + 4 * Long.BYTES + names.length)
            .put(flags(claim))
            .putLong(claim.version())
            .putLong(claim.nonce())
            .putLong(lease.dividedBy(ChronoUnit.MICROS.getDuration()))
            .put(names)
            .putLong(claim.terms());
    return sealed.write(claim.entity().workspace(), claim.fence(), content.array());
  }

  private static byte flags(ActionClaim claim) {
    return (byte) ((claim.exclusive() ? EXCLUSIVE : 0) | (claim.hasEffect() ? HAS_EFFECT : 0));
  }

  /** Decodes a claim; an id that this server did not sign is not found. */
  PresentedClaim<Granted> read(String workspace, Claim sent) {
    var read =
        sealed
            .read("claim", sent)
            .map(of -> granted(of.workspace(), new Fence(sent.getFence()), of.content()));
    return PresentedClaim.of(workspace, read, granted -> granted.claim().entity().workspace());
  }

  private static Granted granted(Workspace workspace, Fence fence, ByteBuffer content) {
    var flags = content.get();
    var version = content.getLong();
    var nonce = content.getLong();
    var lease = Duration.of(content.getLong(), ChronoUnit.MICROS);
    var claim = claim(workspace, fence, flags, version, nonce, content);
    return new Granted(claim, lease);
  }

  private static ActionClaim claim(
      Workspace workspace, Fence fence, byte flags, long version, long nonce, ByteBuffer content) {
    return new ActionClaim(
        new EntityId(
            workspace, LengthPrefixedNames.name(content), LengthPrefixedNames.name(content)),
        LengthPrefixedNames.name(content),
        LengthPrefixedNames.name(content),
        LengthPrefixedNames.name(content),
        version,
        nonce,
        fence,
        (flags & EXCLUSIVE) != 0,
        (flags & HAS_EFFECT) != 0,
        content.getLong());
  }
}
