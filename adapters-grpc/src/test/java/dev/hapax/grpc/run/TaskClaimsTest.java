package dev.hapax.grpc.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.grpc.call.ClaimKind;
import dev.hapax.v1.Claim;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TaskClaimsTest {
  @Test
  @DisplayName("given an encoded claim, when it is decoded, then it equals the original")
  void roundTrip() {
    for (var workspace : List.of(Workspace.DEFAULT, new Workspace("a" + "-".repeat(62)))) {
      var run = new RunId(workspace, new UUID(-1, 7));
      for (var step : List.of(0, Definition.MAX_STEPS - 1)) {
        var claim = new TaskClaim(run, step, Long.MIN_VALUE, new Fence(42));
        var sent = TaskClaims.encode(claim);
        assertThat(sent.getId().length()).isLessThanOrEqualTo(255);
        assertThat(ClaimKind.workspaceOf(sent)).contains(workspace);
        assertThat(TaskClaims.read("claim", "", sent).found()).contains(claim);
        assertThat(TaskClaims.read("claim", workspace.name(), sent).found()).contains(claim);
        var elsewhere = TaskClaims.read("claim", "elsewhere", sent);
        assertThat(elsewhere.found()).isEmpty();
        assertThat(elsewhere.workspace()).isEqualTo(new Workspace("elsewhere"));
      }
    }
  }

  @Test
  @DisplayName("given an id that this server did not make, then no claim is found")
  void foreign() {
    for (var id :
        List.of(
            "op_AAAA",
            "task_",
            "task_!",
            "task_" + "A".repeat(34),
            "task_" + "A".repeat(36),
            // a step before the first
            "task_" + "_".repeat(35),
            "😀")) {
      var claim = Claim.newBuilder().setId(id).build();
      assertThat(TaskClaims.read("claim", "", claim).found()).as(id).isEmpty();
    }
    assertThatThrownBy(() -> TaskClaims.read("claim", "", Claim.getDefaultInstance()))
        .hasMessage("claim.id is required");
  }
}
