package dev.hapax.grpc.operation;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.v1.Claim;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;

/** The ids of claims: which operation and which grant of it, so that no index is needed. */
final class ClaimIds {
  private static final String PREFIX = "op_";
  private static final int BYTES = 3 * Long.BYTES;

  private ClaimIds() {}

  static Claim encode(OperationClaim claim) {
    var bytes = ByteBuffer.allocate(BYTES);
    bytes.putLong(claim.id().hash().getMostSignificantBits());
    bytes.putLong(claim.id().hash().getLeastSignificantBits());
    bytes.putLong(claim.nonce());
    var text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    return Claim.newBuilder().setId(PREFIX + text).setFence(claim.fence().value()).build();
  }

  /** Empty if the id was never one of ours. */
  static Optional<OperationClaim> decode(Workspace workspace, Claim claim) {
    if (!claim.getId().startsWith(PREFIX)) {
      return Optional.empty();
    }
    byte[] decoded;
    try {
      decoded = Base64.getUrlDecoder().decode(claim.getId().substring(PREFIX.length()));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
    if (decoded.length != BYTES) {
      return Optional.empty();
    }
    var bytes = ByteBuffer.wrap(decoded);
    var id = new OperationId(workspace, new UUID(bytes.getLong(), bytes.getLong()));
    return Optional.of(new OperationClaim(id, bytes.getLong(), new Fence(claim.getFence())));
  }
}
