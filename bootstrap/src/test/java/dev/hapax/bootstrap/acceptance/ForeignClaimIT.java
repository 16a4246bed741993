package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.RenewOperationRequest;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ForeignClaimIT {
  private final Deployment deployment = Deployment.shared();
  private final Caller caller = deployment.caller();
  private final Caller stranger = deployment.caller();

  @AfterEach
  void close() {
    caller.close();
    stranger.close();
    assertThat(deployment.complaints()).isEmpty();
  }

  /** The answer to every verb with a claim. */
  private static List<ClaimLost> verbs(Caller caller, Claim claim) {
    var told = new ArrayList<ClaimLost>();
    told.add(caller.complete(claim, Caller.json("2")).getClaimLost());
    told.add(caller.completeVoid(claim).getClaimLost());
    told.add(caller.renew(claim).getClaimLost());
    for (var kind :
        List.of(
            FailureKind.FAILURE_KIND_RETRYABLE,
            FailureKind.FAILURE_KIND_FINAL,
            FailureKind.FAILURE_KIND_UNKNOWN_EFFECT)) {
      told.add(caller.fail(claim, kind).getClaimLost());
    }
    return told;
  }

  private void assertNames(Caller sender, Claim claim) {
    var nothing =
        ClaimLost.newBuilder()
            .setReason(ClaimLostReason.CLAIM_LOST_REASON_UNKNOWN_CLAIM)
            .setWorkspace(sender.workspace())
            .build();
    assertThat(verbs(sender, claim)).as(claim.toString()).allMatch(nothing::equals);
  }

  @Test
  @DisplayName("a claim that names nothing here is claim_lost, without content [X4]")
  void garbage() {
    var claim = caller.acquire("key");
    var before = caller.get("key");
    var id = claim.getId();
    for (var bad :
        List.of(
            "x",
            "op_",
            "op_!",
            "op_" + "A".repeat(31),
            "op_" + "A".repeat(32),
            "op_" + "A".repeat(33),
            "x".repeat(255),
            "\ud83d\ude00",
            "\u00a0",
            id + "A",
            id + "=",
            id.substring(1),
            id.substring(0, id.length() - 1),
            id.replaceFirst("op_.", "op_" + (id.charAt(3) == 'A' ? 'B' : 'A')),
            "run" + id)) {
      assertNames(caller, claim.toBuilder().setId(bad).build());
    }
    assertThat(caller.get("key")).isEqualTo(before);
    assertThat(caller.complete(claim, Caller.json("1")).hasCompleted()).isTrue();
  }

  @Test
  @DisplayName(
      "another workspace's claim is claim_lost, without content, whatever its state " + "[X4]")
  void foreign() {
    var held = caller.acquire("held");
    var completed = caller.acquire("completed");
    caller.complete(completed, Caller.json("\"secret\""));
    var rejected = caller.acquire("rejected");
    caller.fail(rejected, FailureKind.FAILURE_KIND_FINAL);

    for (var claim : List.of(held, completed, rejected)) {
      assertNames(stranger, claim);
    }
    assertThat(caller.complete(held, Caller.json("1")).getCompleted().getAlready()).isFalse();
  }

  @Test
  @DisplayName("a claim without a workspace is looked for in its own")
  void ownWorkspace() {
    var claim = caller.acquire("held");
    var calls = caller.calls();
    var renewal = RenewOperationRequest.newBuilder().setClaim(claim).build();
    assertThat(calls.renewOperation(renewal).hasRenewed()).isTrue();
    var failure = FailOperationRequest.newBuilder().setClaim(claim).build();
    assertThat(calls.failOperation(failure).getFailed().getAlready()).isFalse();
    var next = caller.acquire("held");
    var completion = CompleteOperationRequest.newBuilder().setClaim(next).build();
    assertThat(calls.completeOperation(completion).hasCompleted()).isTrue();
    assertThat(caller.get("held").getState()).isEqualTo(OperationState.OPERATION_STATE_COMPLETED);
  }

  @Test
  @DisplayName(
      "the right id with a fence that was never given is claim_lost, without content " + "[X4]")
  void wrongFence() {
    var held = caller.acquire("held");
    var completed = caller.acquire("completed");
    caller.complete(completed, Caller.json("\"secret\""));
    var rejected = caller.acquire("rejected");
    caller.fail(rejected, FailureKind.FAILURE_KIND_FINAL);

    for (var claim : List.of(held, completed, rejected)) {
      for (var fence :
          List.of(
              claim.getFence() + 1,
              claim.getFence() - 1,
              0L,
              -1L,
              Long.MAX_VALUE,
              Long.MIN_VALUE)) {
        assertNames(caller, claim.toBuilder().setFence(fence).build());
      }
    }
    assertThat(caller.complete(held, Caller.json("1")).getCompleted().getAlready()).isFalse();
  }

  @Test
  @DisplayName("a claim with half of it missing, or too long, is refused by name [X4]")
  void unreadable() {
    var claim = caller.acquire("key");
    for (var bad : List.of("", "x".repeat(8_193), "a\0", "\n")) {
      var sent = Claim.newBuilder().setId(bad).setFence(claim.getFence()).build();
      for (var refusal :
          List.of(
              Refusal.of(() -> caller.complete(sent, Caller.json("1"))),
              Refusal.of(() -> caller.renew(sent)),
              Refusal.of(() -> caller.fail(sent, FailureKind.FAILURE_KIND_RETRYABLE)))) {
        assertThat(refusal.code()).isEqualTo(Code.INVALID_ARGUMENT);
        assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_INVALID_FIELD);
        assertThat(refusal.fields()).containsExactly("claim.id");
      }
    }
  }
}
