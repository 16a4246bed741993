package dev.hapax.grpc.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.RecoveryClaim;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.grpc.call.ClaimKind;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RecoveryClaimsTest {
  private static final Workspace WORKSPACE = Workspace.DEFAULT;
  private final RecoveryClaims claims = new RecoveryClaims(new KeyedIds(new byte[32]));

  @Test
  @DisplayName("given an encoded claim, when it is decoded, then it equals the original")
  void roundTrip() {
    for (var hasEffect : List.of(true, false)) {
      var entity = new EntityId(WORKSPACE, "billing", "invoice/1");
      var claim = new RecoveryClaim(entity, 7, -1, new Fence(42), hasEffect);
      assertThat(claims.read("", claims.write(claim)).found()).contains(claim);
      assertThat(ClaimKind.workspaceOf(claims.write(claim))).contains(WORKSPACE);
    }
  }

  @Test
  @DisplayName("given a forged claim or one of another workspace, then it is not found [X4]")
  void foreign() {
    var entity = new EntityId(WORKSPACE, "billing", "invoice/1");
    var sent = claims.write(new RecoveryClaim(entity, 7, -1, new Fence(42), true));
    assertThat(claims.read("elsewhere", sent).found()).isEmpty();
    assertThat(claims.read("", sent.toBuilder().setFence(41).build()).found()).isEmpty();
    var action = sent.toBuilder().setId(sent.getId().replace("recovery_", "action_")).build();
    assertThat(claims.read("", action).found()).isEmpty();
  }
}
