package dev.hapax.grpc.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Fence;
import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.grpc.call.ClaimKind;
import dev.hapax.v1.Claim;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ClaimIdsTest {
  private static final Workspace LONGEST = new Workspace("a" + "-".repeat(62));
  private static final OperationClaim CLAIM =
      new OperationClaim(new OperationId(LONGEST, new UUID(-1, 7)), Long.MIN_VALUE, new Fence(42));

  @Test
  @DisplayName("given an encoded claim, when it is decoded, then workspace and lease are the same")
  void roundTrip() {
    for (var lease :
        List.of(LeaseLimits.MIN, Duration.ofNanos(123_456_789_000L), LeaseLimits.MAX)) {
      var sent = ClaimIds.encode(CLAIM, lease);
      assertThat(sent.getId().length()).isLessThanOrEqualTo(255);
      assertThat(ClaimKind.workspaceOf(sent)).contains(LONGEST);
      for (var workspace : List.of("", LONGEST.name())) {
        assertThat(ClaimIds.read(workspace, sent).found())
            .contains(new ClaimIds.Granted(CLAIM, lease));
      }
      assertThat(ClaimIds.read("elsewhere", sent).found()).isEmpty();
      assertThat(ClaimIds.read("elsewhere", sent).workspace())
          .isEqualTo(new Workspace("elsewhere"));
    }
  }

  @Test
  @DisplayName("given an id that this server did not make, then no claim is found")
  void foreign() {
    var tooLong = ClaimIds.encode(CLAIM, LeaseLimits.MAX).getId().substring(3);
    var bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(tooLong));
    bytes.putLong(3 * Long.BYTES, Duration.ofHours(25).toNanos() / 1_000);
    for (var id :
        List.of(
            "task_AAAA",
            "op_",
            "op_!",
            "op_" + "A".repeat(43),
            "op_" + "A".repeat(64),
            "op_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array()))) {
      var read = ClaimIds.read("", Claim.newBuilder().setId(id).build());
      assertThat(read.found()).as(id).isEmpty();
      assertThat(read.workspace()).isEqualTo(Workspace.DEFAULT);
    }
    assertThatThrownBy(() -> ClaimIds.read("", Claim.newBuilder().setFence(1).build()))
        .hasMessage("claim.id is required");
  }
}
