package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.Failure;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.OnReleasedMismatch;
import dev.hapax.v1.OnStale;
import dev.hapax.v1.OperationState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailureIT {
  private final Deployment deployment = Deployment.shared();
  private final Caller caller = deployment.caller();

  @AfterEach
  void close() {
    caller.close();
  }

  @ParameterizedTest(name = "after {0} the next call executes [I3]")
  @EnumSource(names = {"FAILURE_KIND_UNSPECIFIED", "FAILURE_KIND_RETRYABLE"})
  void freesTheKey(FailureKind kind) {
    var claim = caller.acquire("key");
    assertThat(caller.fail(claim, kind).getFailed().getAlready()).isFalse();
    assertThat(caller.fail(claim, kind).getFailed().getAlready()).isTrue();
    assertThat(caller.complete(claim, Caller.json("1")).getClaimLost().getOperationState())
        .isEqualTo(OperationState.OPERATION_STATE_RELEASED);
    assertThat(caller.get("key").getFailure()).isEqualTo(Caller.failure("DECLINED"));

    var next = caller.acquire(caller.begin("key"));
    assertThat(next.getAttempt()).isEqualTo(2);
    assertThat(next.getReclaimed()).isFalse();
    assertThat(next.getClaim().getFence()).isGreaterThan(claim.getFence());
    assertThat(caller.complete(claim, Caller.json("1")).hasClaimLost()).isTrue();
    assertThat(caller.complete(next.getClaim(), Caller.json("2")).hasCompleted()).isTrue();
    assertThat(caller.send(caller.begin("key")).getReplay().getResult())
        .isEqualTo(Caller.json("2"));
  }

  @Test
  @DisplayName("a corrected request acquires the key of a retryable failure where it asks to")
  void corrected() {
    var claim = caller.acquire(caller.begin("key").setFingerprint(ByteString.copyFromUtf8("1")));
    caller.fail(claim.getClaim(), FailureKind.FAILURE_KIND_RETRYABLE);
    var corrected = caller.begin("key").setFingerprint(ByteString.copyFromUtf8("2"));
    assertThat(caller.send(corrected).hasKeyReused()).isTrue();

    var accepted =
        caller.acquire(
            corrected.setOnReleasedMismatch(OnReleasedMismatch.ON_RELEASED_MISMATCH_ACCEPT));
    assertThat(accepted.getAttempt()).isEqualTo(2);
    caller.complete(accepted.getClaim(), Caller.json("2"));
    assertThat(caller.send(corrected).getReplay().getResult()).isEqualTo(Caller.json("2"));
    var former = caller.begin("key").setFingerprint(ByteString.copyFromUtf8("1"));
    assertThat(caller.send(former).hasKeyReused()).isTrue();
  }

  @Test
  @DisplayName("an empty key is refused where a key is required")
  void keyRequired() {
    var begin = caller.begin("");
    assertThat(caller.send(begin).hasUntracked()).isTrue();
    var refusal = Refusal.of(() -> caller.send(begin.setRequireRequestId(true)));
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_INVALID_FIELD);
    assertThat(refusal.fields()).containsExactly("request_id");
  }

  @Test
  @DisplayName("a failure needs no code")
  void withoutCode() {
    var claim = caller.acquire("key");
    var request =
        FailOperationRequest.newBuilder()
            .setClaim(claim)
            .setKind(FailureKind.FAILURE_KIND_FINAL)
            .setFailure(Failure.newBuilder().setMessage("no seats left"))
            .build();
    assertThat(caller.calls().failOperation(request).hasFailed()).isTrue();
    assertThat(caller.send(caller.begin("key")).getReplay().getFailure())
        .isEqualTo(request.getFailure());
  }

  @Test
  @DisplayName("a failure without a word frees the key as well [I3]")
  void freesWithoutFailure() {
    var claim = caller.acquire("key");
    var request =
        caller.failure(claim, FailureKind.FAILURE_KIND_RETRYABLE, Caller.failure("X")).toBuilder()
            .clearFailure()
            .build();
    assertThat(caller.calls().failOperation(request).hasFailed()).isTrue();
    assertThat(caller.acquire(caller.begin("key")).getAttempt()).isEqualTo(2);
  }

  @Test
  @DisplayName("a FINAL failure is replayed as it was [I3]")
  void replaysFinalFailures() {
    var claim = caller.acquire("key");
    assertThat(caller.fail(claim, FailureKind.FAILURE_KIND_FINAL).hasFailed()).isTrue();

    var replay = caller.send(caller.begin("key")).getReplay();
    assertThat(replay.getFailure()).isEqualTo(Caller.failure("DECLINED"));
    assertThat(replay.hasResult()).isFalse();
    assertThat(caller.fail(claim, FailureKind.FAILURE_KIND_FINAL).getFailed().getAlready())
        .isTrue();
    var lost = caller.complete(claim, Caller.json("1")).getClaimLost();
    assertThat(lost.getReason()).isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_ENDED);
    assertThat(lost.getOperationState()).isEqualTo(OperationState.OPERATION_STATE_REJECTED);
    assertThat(lost.getReplay()).isEqualTo(replay);
  }

  @Test
  @DisplayName(
      "given UNKNOWN_EFFECT, then no caller executes until the holder reports the "
          + "outcome [I3]")
  void holdsUnknownEffects() {
    var claim = caller.acquire("key");
    var kind = FailureKind.FAILURE_KIND_UNKNOWN_EFFECT;
    assertThat(caller.fail(claim, kind).getFailed().getAlready()).isFalse();
    assertThat(caller.fail(claim, kind).getFailed().getAlready()).isTrue();

    assertThat(caller.send(caller.begin("key")).getIndeterminate().getAttempt()).isOne();
    assertThat(caller.send(caller.begin("key").setWait(Caller.seconds(30))).hasIndeterminate())
        .isTrue();
    assertThat(caller.get("key").getFailure()).isEqualTo(Caller.failure("DECLINED"));

    assertThat(caller.complete(claim, Caller.json("1")).hasCompleted()).isTrue();
    assertThat(caller.send(caller.begin("key")).hasReplay()).isTrue();
  }

  @Test
  @DisplayName(
      "HOLD by the holder makes a stale key indeterminate; the holder may renew and "
          + "complete [I9]")
  void holdsForTheHolder() {
    var claim =
        caller
            .acquire(
                caller.begin("key").setLease(Caller.millis(100)).setOnStale(OnStale.ON_STALE_HOLD))
            .getClaim();
    deployment.awaitLeasesOver(caller);

    for (var i = 0; i < 3; i++) {
      assertThat(caller.send(caller.begin("key").setOnStale(OnStale.ON_STALE_TAKE_OVER)))
          .matches(BeginOperationResponse::hasIndeterminate);
    }
    assertThat(caller.renew(claim).hasRenewed()).isTrue();
    assertThat(caller.complete(claim, Caller.json("1")).hasCompleted()).isTrue();
    assertThat(caller.send(caller.begin("key")).getReplay().getResult())
        .isEqualTo(Caller.json("1"));
  }

  @Test
  @DisplayName(
      "given HOLD by the caller, then a stale key becomes indeterminate, also for a "
          + "waiting caller [I9]")
  void holdsForTheCaller() {
    caller.acquireShortly("key");

    assertThat(
            caller.send(
                caller.begin("key").setOnStale(OnStale.ON_STALE_HOLD).setWait(Caller.seconds(30))))
        .matches(BeginOperationResponse::hasIndeterminate);
    assertThat(caller.send(caller.begin("key")).hasIndeterminate()).isTrue();
  }

  @Test
  @DisplayName(
      "an indeterminate key is freed by its holder's RETRYABLE, ended by its FINAL " + "[I3]")
  void holderSettles() {
    var freed = caller.acquire("freed");
    caller.fail(freed, FailureKind.FAILURE_KIND_UNKNOWN_EFFECT);
    assertThat(caller.fail(freed, FailureKind.FAILURE_KIND_RETRYABLE).hasFailed()).isTrue();
    assertThat(caller.send(caller.begin("freed")).hasAcquired()).isTrue();

    var ended = caller.acquire("ended");
    caller.fail(ended, FailureKind.FAILURE_KIND_UNKNOWN_EFFECT);
    assertThat(caller.fail(ended, FailureKind.FAILURE_KIND_FINAL).hasFailed()).isTrue();
    assertThat(caller.send(caller.begin("ended")).getReplay().hasFailure()).isTrue();
  }
}
