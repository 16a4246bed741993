package dev.hapax.grpc.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.ActionClaimLost;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.CompleteAction;
import dev.hapax.domain.entity.CompleteActionOutcome;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.RunId;
import dev.hapax.grpc.call.PresentedClaim;
import dev.hapax.grpc.call.Refusal;
import io.grpc.Status.Code;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ActionOutcomesTest {
  private static final EntityId ENTITY = new EntityId(Workspace.DEFAULT, "billing", "inv-1");
  private final ActionOutcomes outcomes =
      new ActionOutcomes(new ActionClaims(new KeyedIds(new byte[32])));

  private static PresentedClaim<CompleteAction> completion() {
    var claim =
        new ActionClaim(ENTITY, "close", "admin", "billing", 1, 2, new Fence(3), true, false, 0);
    var effect = new RunId(Workspace.DEFAULT, new UUID(0, 1));
    var command = new CompleteAction(claim, Optional.empty(), effect, Actor.caller("admin"));
    return new PresentedClaim<>(Optional.of(command), Workspace.DEFAULT);
  }

  @Test
  @DisplayName("given a lifecycle change, then the error says when to retry")
  void changing() {
    var request = ClaimServices.closing("inv-1", "admin").build();
    for (var refused :
        List.of(
            Refusal.of(() -> outcomes.begun(request, new BeginActionOutcome.Changing())),
            Refusal.of(
                () ->
                    ActionOutcomes.completed(
                        completion(), new CompleteActionOutcome.Changing())))) {
      assertThat(refused.code()).isEqualTo(Code.UNAVAILABLE);
      assertThat(refused.reason()).isEqualTo("LIFECYCLE_CHANGING");
      assertThat(refused.metadata()).containsEntry("lifecycle", "billing");
      assertThat(refused.retryAfter()).isPresent();
    }
  }

  @Test
  @DisplayName(
      "given any reason of a lost claim, then it has its name; UNKNOWN_CLAIM has the workspace")
  void reasons() {
    for (var reason : ActionClaimLost.Reason.values()) {
      var lost = EntityEncoding.claimLost(ENTITY.workspace(), new ActionClaimLost(reason));
      assertThat(lost.getReason().name()).isEqualTo("CLAIM_LOST_REASON_" + reason.name());
      assertThat(lost.getWorkspace())
          .isEqualTo(reason == ActionClaimLost.Reason.UNKNOWN_CLAIM ? "default" : "");
    }
  }
}
