package dev.hapax.grpc.run;

import dev.hapax.domain.Fence;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TaskLost;
import dev.hapax.grpc.call.ClaimIdText;
import dev.hapax.grpc.call.ClaimKind;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.PresentedClaim;
import dev.hapax.v1.Claim;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;

/** Encodes and decodes claims of tasks. An id names run, step and grant, so it needs no index. */
public final class TaskClaims {
  private static final String PREFIX = ClaimKind.TASK.prefix();

  private static final UUID NO_UUID = new UUID(0, 0);

  /** The bytes before the name of the workspace. */
  private static final int BYTES = ClaimKind.TASK.offset();

  private TaskClaims() {}

  static Claim encode(TaskClaim claim) {
    var workspace = claim.run().workspace().name().getBytes(StandardCharsets.US_ASCII);
    var bytes =
        ByteBuffer.allocate(BYTES + workspace.length)
            .putLong(claim.run().uuid().getMostSignificantBits())
            .putLong(claim.run().uuid().getLeastSignificantBits())
            .putShort((short) claim.step())
            .putLong(claim.nonce())
            .put(workspace);
    return Claim.newBuilder()
        .setId(ClaimIdText.print(PREFIX, bytes.array()))
        .setFence(claim.fence().value())
        .build();
  }

  /** Decodes a claim; an id that this server did not make is not found. */
  public static PresentedClaim<TaskClaim> read(String field, String workspace, Claim sent) {
    var id = FieldReader.required(field + ".id", sent.getId());
    var read =
        ClaimIdText.read(PREFIX, id).flatMap(bytes -> decode(bytes, new Fence(sent.getFence())));
    return PresentedClaim.of(workspace, read, claim -> claim.run().workspace());
  }

  /** The outcome for an unknown claim. */
  public static TaskLost lost(Workspace workspace) {
    var unknown = new TaskClaim(new RunId(workspace, NO_UUID), 0, 0, new Fence(0));
    return new TaskLost(unknown, Optional.empty());
  }

  private static Optional<TaskClaim> decode(byte[] decoded, Fence fence) {
    try {
      return decoded.length < BYTES ? Optional.empty() : claim(decoded, fence);
    } catch (InvalidValueException _) {
      return Optional.empty();
    }
  }

  private static Optional<TaskClaim> claim(byte[] decoded, Fence fence) {
    var bytes = ByteBuffer.wrap(decoded);
    var uuid = new UUID(bytes.getLong(), bytes.getLong());
    var step = bytes.getShort();
    var nonce = bytes.getLong();
    var name = new String(decoded, BYTES, decoded.length - BYTES, StandardCharsets.US_ASCII);
    return step < 0
        ? Optional.empty()
        : Optional.of(new TaskClaim(new RunId(new Workspace(name), uuid), step, nonce, fence));
  }
}
