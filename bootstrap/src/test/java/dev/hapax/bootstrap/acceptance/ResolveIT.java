package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.ResolveOperationRequest;
import io.grpc.Status.Code;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResolveIT {
  private final Deployment deployment = Deployment.shared();
  private final Caller caller = deployment.caller();

  @AfterEach
  void close() {
    caller.close();
  }

  @ParameterizedTest(name = "an operation that is {0} can be settled by hand in every way [I9]")
  @ValueSource(strings = {"held", "indeterminate"})
  void settles(String state) {
    var claims =
        Map.of(
            "complete", caller.acquire("complete"),
            "void", caller.acquire("void"),
            "reject", caller.acquire("reject"),
            "release", caller.acquire("release"));
    if (state.equals("indeterminate")) {
      claims.values().forEach(c -> caller.fail(c, FailureKind.FAILURE_KIND_UNKNOWN_EFFECT));
    }

    for (var resolution :
        List.of(complete("complete"), completeVoid("void"), reject("reject"), release("release"))) {
      var key = resolution.getKey().getRequestId();
      var fence = of(claims, key).getFence();
      var resolved = caller.calls().resolveOperation(resolution.setActor("olga").build());
      assertThat(resolved.getAlready()).isFalse();
      assertThat(resolved.getOperation().getResolvedBy()).isEqualTo("olga");
      assertThat(resolved.getOperation().getFence()).isGreaterThan(fence);
      assertThat(resolved.getOperation().getResolution()).isEqualTo("looked at the bank");
      assertThat(resolved.getOperation()).isEqualTo(caller.get(key));
      var again = caller.calls().resolveOperation(resolution.build());
      assertThat(again.getAlready()).isTrue();
      assertThat(again.getOperation()).isEqualTo(resolved.getOperation());
    }

    // the holder, if it lives, is fenced off
    assertThat(caller.complete(of(claims, "complete"), Caller.json("2")).getClaimLost().getReplay())
        .satisfies(r -> assertThat(r.getResult()).isEqualTo(Caller.json("\"by hand\"")));
    var lost = caller.renew(of(claims, "release")).getClaimLost();
    assertThat(lost.getReason()).isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_RESOLVED);
    assertThat(lost.getOperationState()).isEqualTo(OperationState.OPERATION_STATE_RELEASED);
    assertThat(caller.send(caller.begin("complete")).getReplay().getResult())
        .isEqualTo(Caller.json("\"by hand\""));
    assertThat(caller.send(caller.begin("void")).getReplay().hasResult()).isFalse();
    assertThat(caller.send(caller.begin("void")).hasReplay()).isTrue();
    assertThat(caller.send(caller.begin("reject")).getReplay().getFailure())
        .isEqualTo(Caller.failure("BY_HAND"));
    var next = caller.acquire(caller.begin("release"));
    assertThat(next.getAttempt()).isEqualTo(2);
    assertThat(next.getReclaimed()).isFalse();
    assertThat(next.getClaim().getFence()).isGreaterThan(of(claims, "release").getFence());
  }

  private static Claim of(Map<String, Claim> claims, String key) {
    return Objects.requireNonNull(claims.get(key), key);
  }

  @ParameterizedTest(name = "an operation that is {0} can only be released [I9]")
  @ValueSource(strings = {"COMPLETED", "REJECTED", "RELEASED"})
  void refusesToSettleWhatHasEnded(String state) {
    var claim = caller.acquire("key");
    switch (state) {
      case "COMPLETED" -> caller.complete(claim, Caller.json("1"));
      case "REJECTED" -> caller.fail(claim, FailureKind.FAILURE_KIND_FINAL);
      default -> caller.fail(claim, FailureKind.FAILURE_KIND_RETRYABLE);
    }
    var before = caller.get("key");

    for (var resolution : List.of(complete("key"), completeVoid("key"), reject("key"))) {
      var refusal = Refusal.of(() -> caller.calls().resolveOperation(resolution.build()));
      assertThat(refusal.code()).isEqualTo(Code.FAILED_PRECONDITION);
      assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_RESOLUTION_NOT_ALLOWED);
      assertThat(refusal.metadata()).containsEntry("state", state);
      assertThat(caller.get("key")).isEqualTo(before);
    }
    caller.calls().resolveOperation(release("key").build());
    assertThat(caller.get("key").getState()).isEqualTo(OperationState.OPERATION_STATE_RELEASED);
    assertThat(caller.acquire(caller.begin("key")).getAttempt()).isEqualTo(2);
  }

  @Test
  @DisplayName("a resolution sent again changes nothing, also when the key was begun anew [X1]")
  void repeatsAfterANewBegin() {
    caller.acquire("key");
    var release = release("key").build();
    caller.calls().resolveOperation(release);
    var holder = caller.acquire("key");

    assertThat(caller.calls().resolveOperation(release).getAlready()).isTrue();
    assertThat(caller.complete(holder, Caller.json("1")).hasCompleted()).isTrue();
    var again = caller.calls().resolveOperation(release);
    assertThat(again.getAlready()).isTrue();
    assertThat(again.getOperation().getState()).isEqualTo(OperationState.OPERATION_STATE_COMPLETED);
    assertThat(caller.send(caller.begin("key")).hasReplay()).isTrue();
  }

  @Test
  @DisplayName(
      "given a waiting caller, when an operator resolves the operation, then it gets "
          + "the result [I9]")
  void wakesWaiters() {
    caller.acquire("key");
    var waiters =
        ConcurrentCalls.send(
            10,
            _ ->
                caller
                    .futures()
                    .beginOperation(caller.begin("key").setWait(Caller.seconds(30)).build()));

    caller.calls().resolveOperation(complete("key").build());

    assertThat(ConcurrentCalls.answers(waiters))
        .allSatisfy(
            answer ->
                assertThat(answer.getReplay().getResult()).isEqualTo(Caller.json("\"by hand\"")));
  }

  @Test
  @DisplayName("what does not exist here cannot be settled [I9]")
  void notFound() {
    caller.acquire("key");
    try (var stranger = deployment.caller()) {
      for (var resolution :
          List.of(
              release("none"),
              release("key").setWorkspace(stranger.workspace()),
              complete("none"),
              reject("none"))) {
        var refusal = Refusal.of(() -> caller.calls().resolveOperation(resolution.build()));
        assertThat(refusal.code()).isEqualTo(Code.NOT_FOUND);
        assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_OPERATION_NOT_FOUND);
      }
    }
  }

  private ResolveOperationRequest.Builder complete(String key) {
    return caller
        .resolution(key)
        .setComplete(
            ResolveOperationRequest.Complete.newBuilder().setResult(Caller.json("\"by hand\"")));
  }

  private ResolveOperationRequest.Builder completeVoid(String key) {
    return caller
        .resolution(key)
        .setComplete(ResolveOperationRequest.Complete.getDefaultInstance());
  }

  private ResolveOperationRequest.Builder reject(String key) {
    return caller.resolution(key).setReject(Caller.failure("BY_HAND"));
  }

  private ResolveOperationRequest.Builder release(String key) {
    return caller.resolution(key).setRelease(ResolveOperationRequest.Release.getDefaultInstance());
  }
}
