package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.RecoveryOutcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All ways back lead to the revert_to of the claim state, not to where the step leads from. */
class ClaimWaysBackIT {
  private static final String PACKED = "packed";
  private static final String RETURNED = "returned";

  /** Where packed parcels go when shipping them came to nothing: an operator has to check them. */
  private static final String PARCELS =
      """
      { "lifecycle": "billing", "module": "accounting", "entity": "parcels",
        "status_types": ["packed", "shipping", "returned", "shipped"],
        "steps": [
          { "step_key": "close", "status": "packed", "action": "Ship",
            "claim_state": { "admin": ["shipping", "returned"] },
            "successful_state": { "admin": "shipped" } },
          { "step_key": "repack", "status": "returned", "successful_state": "packed" } ] }
      """;

  private final ClaimCaller caller = ClaimCaller.empty(Deployment.shared().target());

  @AfterEach
  void close() {
    caller.close();
  }

  private void packed(JanitorContract.Builder janitor) {
    caller.declare(janitor.clearClaimStates().addClaimStates("shipping"));
    var _ = caller.apply(PARCELS);
    var _ = caller.entities().createEntity(caller.creation("1", PACKED).build());
  }

  private String status() {
    return caller.get("1").getStatus();
  }

  @ParameterizedTest(name = "{0} leads to revert_to [C2]")
  @DisplayName("what fails, however it does, leads to revert_to [C2]")
  @EnumSource(
      names = {
        "ACTION_FAILURE_KIND_FAILURE",
        "ACTION_FAILURE_KIND_INVALID",
        "ACTION_FAILURE_KIND_EXCEPTION"
      })
  void failure(ActionFailureKind kind) {
    packed(ClaimCaller.contract());
    var claim = caller.claimed("1");
    assertThat(caller.fail(claim, kind).getFailed().getEntity().getStatus()).isEqualTo(RETURNED);
    assertThat(status()).isEqualTo(RETURNED);
  }

  @Test
  @DisplayName("a janitor takes back to revert_to [C6]")
  void swept() {
    packed(ClaimCaller.contract());
    var late = caller.claimedShortly("1");
    caller.sweepUntilFreed(1);
    assertThat(status()).isEqualTo(RETURNED);
    assertThat(caller.complete(late).getClaimLost().getReason())
        .isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    assertThat(status()).isEqualTo(RETURNED);
  }

  @Test
  @DisplayName(
      "given an expired lease, when another caller acts, then the entity is at " + "revert_to [C6]")
  void takenOver() {
    packed(ClaimCaller.contract());
    var _ = caller.claimedShortly("1");
    var next = caller.send(caller.begin("1").setWait(Caller.seconds(20)));
    assertThat(next.getWrongStatus().getStatus()).isEqualTo(RETURNED);
    assertThat(status()).isEqualTo(RETURNED);
  }

  @Test
  @DisplayName("a module that looked and says that nothing was done leads to revert_to [C6]")
  void recovered() {
    packed(ClaimCaller.remote());
    var _ = caller.claimedShortly("1");
    var recovery = caller.recovery("worker");
    assertThat(recovery.getLost().getRevertTo()).isEqualTo(RETURNED);
    var outcome = RecoveryOutcome.RECOVERY_OUTCOME_REVERT;
    assertThat(caller.recover(recovery.getClaim(), outcome).hasCompleted()).isTrue();
    assertThat(status()).isEqualTo(RETURNED);
  }

  @Test
  @DisplayName("an operator takes back to revert_to [C7]")
  void released() {
    packed(ClaimCaller.contract());
    var _ = caller.claimed("1");
    var released = caller.entities().releaseClaim(caller.release("1", "request").build());
    assertThat(released.getEntity().getStatus()).isEqualTo(RETURNED);
    assertThat(status()).isEqualTo(RETURNED);
  }
}
