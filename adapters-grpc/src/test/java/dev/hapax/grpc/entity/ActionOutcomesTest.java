package dev.hapax.grpc.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.ActionClaimLost;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.CompleteActionOutcome;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.grpc.call.Refusal;
import io.grpc.Status.Code;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ActionOutcomesTest {
  private static final EntityId ENTITY = new EntityId(Workspace.DEFAULT, "billing", "inv-1");
  private final ActionOutcomes outcomes =
      new ActionOutcomes(new ActionClaims(new KeyedIds(new byte[32])));

  @Test
  @DisplayName("while the lifecycle is changed, the same request may come again, and is told when")
  void changing() {
    var request = ClaimServices.closing("inv-1", "admin").build();
    for (var refused :
        List.of(
            Refusal.of(() -> outcomes.begun(request, new BeginActionOutcome.Changing())),
            Refusal.of(
                () -> ActionOutcomes.completed(ENTITY, new CompleteActionOutcome.Changing())))) {
      assertThat(refused.code()).isEqualTo(Code.UNAVAILABLE);
      assertThat(refused.reason()).isEqualTo("LIFECYCLE_CHANGING");
      assertThat(refused.metadata()).containsEntry("lifecycle", "billing");
      assertThat(refused.retryAfter()).isPresent();
    }
  }

  @Test
  @DisplayName("each reason of a lost claim has its own name; UNKNOWN_CLAIM names the workspace")
  void reasons() {
    for (var reason : ActionClaimLost.Reason.values()) {
      var lost = EntityEncoding.claimLost(ENTITY.workspace(), new ActionClaimLost(reason));
      assertThat(lost.getReason().name()).isEqualTo("CLAIM_LOST_REASON_" + reason.name());
      assertThat(lost.getWorkspace())
          .isEqualTo(reason == ActionClaimLost.Reason.UNKNOWN_CLAIM ? "default" : "");
    }
  }
}
