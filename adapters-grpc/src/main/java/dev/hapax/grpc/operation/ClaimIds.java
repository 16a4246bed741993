package dev.hapax.grpc.operation;

import dev.hapax.domain.Fence;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.grpc.call.ClaimIdText;
import dev.hapax.grpc.call.ClaimKind;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.PresentedClaim;
import dev.hapax.v1.Claim;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;

/**
 * Encodes and decodes claims of operations. An id names operation, grant and lease, so it needs
 * neither an index nor a column.
 */
final class ClaimIds {
  private static final String PREFIX = ClaimKind.OPERATION.prefix();

  /** The bytes before the name of the workspace. */
  private static final int BYTES = ClaimKind.OPERATION.offset();

  private ClaimIds() {}

  /**
   * A decoded claim.
   *
   * @param lease as it was granted
   */
  record Granted(OperationClaim claim, Duration lease) {
    private Workspace workspace() {
      return claim.id().workspace();
    }
  }

  static Claim encode(OperationClaim claim, Duration lease) {
    var workspace = claim.id().workspace().name().getBytes(StandardCharsets.US_ASCII);
    var bytes =
        ByteBuffer.allocate(BYTES + workspace.length)
            .putLong(claim.id().hash().getMostSignificantBits())
            .putLong(claim.id().hash().getLeastSignificantBits())
            .putLong(claim.nonce())
            .putLong(lease.dividedBy(ChronoUnit.MICROS.getDuration()))
            .put(workspace);
    return Claim.newBuilder()
        .setId(ClaimIdText.print(PREFIX, bytes.array()))
        .setFence(claim.fence().value())
        .build();
  }

  /** Decodes a claim; an id that this server did not make is not found. */
  static PresentedClaim<Granted> read(String workspace, Claim sent) {
    var id = FieldReader.required("claim.id", sent.getId());
    var read =
        ClaimIdText.read(PREFIX, id).flatMap(bytes -> decode(bytes, new Fence(sent.getFence())));
    return PresentedClaim.of(workspace, read, Granted::workspace);
  }

  private static Optional<Granted> decode(byte[] decoded, Fence fence) {
    try {
      return decoded.length < BYTES ? Optional.empty() : Optional.of(granted(decoded, fence));
    } catch (InvalidValueException _) {
      return Optional.empty();
    }
  }

  private static Granted granted(byte[] decoded, Fence fence) {
    var bytes = ByteBuffer.wrap(decoded);
    var hash = new UUID(bytes.getLong(), bytes.getLong());
    var nonce = bytes.getLong();
    var lease = LeaseLimits.checked(Duration.of(bytes.getLong(), ChronoUnit.MICROS));
    var name = new String(decoded, BYTES, decoded.length - BYTES, StandardCharsets.US_ASCII);
    return new Granted(
        new OperationClaim(new OperationId(new Workspace(name), hash), nonce, fence), lease);
  }
}
