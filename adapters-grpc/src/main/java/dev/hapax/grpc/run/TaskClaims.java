package dev.hapax.grpc.run;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.grpc.call.Fields;
import dev.hapax.v1.Claim;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;

/** Claims of tasks; their ids name run, step and grant, so that no index is needed. */
public final class TaskClaims {
  private static final String PREFIX = "task_";
  private static final int BYTES = 3 * Long.BYTES + Short.BYTES;

  private TaskClaims() {}

  static Claim encode(TaskClaim claim) {
    var bytes =
        ByteBuffer.allocate(BYTES)
            .putLong(claim.run().uuid().getMostSignificantBits())
            .putLong(claim.run().uuid().getLeastSignificantBits())
            .putShort((short) claim.step())
            .putLong(claim.nonce());
    var text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    return Claim.newBuilder().setId(PREFIX + text).setFence(claim.fence().value()).build();
  }

  /** Empty if the id was never one of ours. */
  public static Optional<TaskClaim> read(String field, Workspace workspace, Claim sent) {
    var id = Fields.read(field + ".id", sent.getId(), Text::requiredName);
    if (!id.startsWith(PREFIX)) {
      return Optional.empty();
    }
    byte[] decoded;
    try {
      decoded = Base64.getUrlDecoder().decode(id.substring(PREFIX.length()));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
    if (decoded.length != BYTES) {
      return Optional.empty();
    }
    var bytes = ByteBuffer.wrap(decoded);
    var run = new RunId(workspace, new UUID(bytes.getLong(), bytes.getLong()));
    var step = bytes.getShort();
    return step < 0
        ? Optional.empty()
        : Optional.of(new TaskClaim(run, step, bytes.getLong(), new Fence(sent.getFence())));
  }
}
