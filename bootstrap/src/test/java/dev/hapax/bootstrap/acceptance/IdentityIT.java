package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.FailureKind;
import io.grpc.Status.Code;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated // other tests would add rows to the shared server
class IdentityIT {
  private static final ByteString OTHER = ByteString.copyFromUtf8("another request");
  private final Deployment deployment = Deployment.shared();
  private final Caller caller = deployment.caller();

  @AfterEach
  void close() {
    caller.close();
  }

  @Test
  @DisplayName(
      "the same request id for another account, operation or workspace is another " + "key [I4]")
  void isScoped() {
    var begin = caller.begin("key");
    try (var stranger = deployment.caller()) {
      for (var other :
          List.of(
              begin.clone(),
              begin.clone().setAccount("account-2"),
              begin.clone().setAccount(""),
              begin.clone().setOperation("orders.v1.Orders/Cancel"),
              begin.clone().setAccountChanging(true),
              begin.clone().setWorkspace(stranger.workspace()),
              // what two parts are made of must not matter
              begin.clone().setOperation(Caller.OPERATION + "key").setRequestId("x"),
              begin.clone().setOperation(Caller.OPERATION).setRequestId("keyx"))) {
        var acquired = caller.acquire(other);
        assertThat(acquired.getAttempt()).isOne();
        assertThat(acquired.getReentrant()).isFalse();
      }
    }
    assertThat(caller.send(begin.setAttemptId("another")).hasInProgress()).isTrue();
  }

  @Test
  @DisplayName("the default workspace by name and by silence are one [I4]")
  void defaultWorkspace() {
    var begin = caller.begin("default-" + caller.workspace());
    caller.acquire(begin.setWorkspace(""));
    assertThat(caller.acquire(begin.setWorkspace("default")).getReentrant()).isTrue();
  }

  @Test
  @DisplayName("an account-changing operation is found under the account before and after [I5]")
  void accountChanges() {
    var begin = changing("anonymous");
    var claim = caller.acquire(begin).getClaim();

    assertThat(caller.send(changing("alice")).hasInProgress()).isTrue();
    assertThat(caller.send(changing("alice").setFingerprint(OTHER)).hasKeyReused()).isTrue();
    caller.calls().completeOperation(moved(claim, "alice"));

    assertThat(caller.send(changing("anonymous")).getReplay().getResult())
        .isEqualTo(Caller.json("\"secret\""));
    assertThat(caller.send(changing("alice")).getReplay().getResult())
        .isEqualTo(Caller.json("\"secret\""));
    assertForeign(changing("mallory"));
    assertForeign(changing(""));
    // the account is looked at before anything else
    assertForeign(changing("mallory").setFingerprint(OTHER));
    assertThat(caller.send(changing("alice").setFingerprint(OTHER)).hasKeyReused()).isTrue();
  }

  @Test
  @DisplayName("without an account after, only the account before gets the replay [I5]")
  void accountStays() {
    caller.completeVoid(caller.acquire(changing("anonymous")).getClaim());

    assertThat(caller.send(changing("anonymous")).hasReplay()).isTrue();
    assertForeign(changing("alice"));
  }

  @Test
  @DisplayName("complete and fail use the account of the claim, also after a takeover [I5]")
  void claimKeepsItsAccount() {
    caller.acquire(changing("anonymous").setLease(Caller.millis(100)));
    deployment.awaitLeasesOver(caller);
    var second = caller.acquire(changing("alice"));
    assertThat(second.getReclaimed()).isTrue();
    caller.completeVoid(second.getClaim());

    assertThat(caller.send(changing("alice")).hasReplay()).isTrue();
    assertForeign(changing("mallory"));
  }

  @Test
  @DisplayName("a foreign caller does not learn of a final failure either [I5]")
  void failureStaysPrivate() {
    caller.fail(caller.acquire(changing("anonymous")).getClaim(), FailureKind.FAILURE_KIND_FINAL);

    assertThat(caller.send(changing("anonymous")).getReplay().hasFailure()).isTrue();
    assertForeign(changing("mallory"));
  }

  private BeginOperationRequest.Builder changing(String account) {
    return caller.begin("sign-up").setAccountChanging(true).setAccount(account);
  }

  private CompleteOperationRequest moved(Claim claim, String account) {
    return caller.completion(claim, Caller.json("\"secret\"")).toBuilder()
        .setAccountAfter(account)
        .build();
  }

  private void assertForeign(BeginOperationRequest.Builder begin) {
    var refusal = Refusal.of(() -> caller.send(begin));
    assertThat(refusal.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_ACCOUNT_MISMATCH);
    assertThat(refusal.toString()).doesNotContain("alice", "anonymous", "secret", "DECLINED");
  }

  @Test
  @DisplayName("without a request id everything executes and nothing is stored [I6]")
  void untracked() {
    var begun = deployment.now();
    var silent = Claim.getDefaultInstance();
    for (var i = 0; i < 3; i++) {
      assertThat(caller.send(caller.begin("")).hasUntracked()).isTrue();
      assertThat(caller.send(caller.begin("").setWait(Caller.seconds(1))).hasUntracked()).isTrue();
      assertThat(caller.send(caller.begin("").setOperation("")).hasUntracked()).isTrue();
      assertThat(caller.complete(silent, Caller.json("1")).getCompleted().getAlready()).isFalse();
      assertThat(caller.completeVoid(silent).hasCompleted()).isTrue();
      for (var kind :
          List.of(
              FailureKind.FAILURE_KIND_RETRYABLE,
              FailureKind.FAILURE_KIND_FINAL,
              FailureKind.FAILURE_KIND_UNKNOWN_EFFECT)) {
        assertThat(caller.fail(silent, kind).hasFailed()).isTrue();
      }
      assertThat(caller.renew(silent).hasRenewed()).isTrue();
    }
    assertThat(deployment.rowsSince(begun)).isZero();
  }

  @Test
  @DisplayName(
      "given the same key with another payload, then it is rejected in every state, "
          + "without a result [I10]")
  void keyReused() {
    caller.acquire("held");
    caller.fail(caller.acquire("released"), FailureKind.FAILURE_KIND_RETRYABLE);
    caller.fail(caller.acquire("indeterminate"), FailureKind.FAILURE_KIND_UNKNOWN_EFFECT);
    caller.fail(caller.acquire("rejected"), FailureKind.FAILURE_KIND_FINAL);
    caller.complete(caller.acquire("completed"), Caller.json("1"));
    caller.acquireShortly("stale");
    var begun = deployment.now();

    var reused =
        BeginOperationResponse.newBuilder()
            .setKeyReused(BeginOperationResponse.KeyReused.getDefaultInstance())
            .build();
    for (var key : List.of("held", "released", "indeterminate", "rejected", "completed", "stale")) {
      for (var fingerprint : List.of(OTHER, ByteString.EMPTY)) {
        var begin = caller.begin(key).setFingerprint(fingerprint).setWait(Caller.seconds(30));
        assertThat(caller.send(begin)).as(key).isEqualTo(reused);
      }
      assertThat(caller.get(key).getAttempt()).isOne();
    }
    assertThat(deployment.rowsSince(begun)).isZero();
    assertThat(caller.send(caller.begin("released")).hasAcquired()).isTrue();
    assertThat(caller.send(caller.begin("completed")).hasReplay()).isTrue();
  }
}
