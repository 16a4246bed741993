package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationServiceGrpc.OperationServiceBlockingStub;
import dev.hapax.v1.ResolveOperationRequest;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("secured")
class LostAnswerIT {
  private final Deployment deployment = Deployment.shared();
  private final CuttingProxy proxy = new CuttingProxy(deployment.target());
  private final Caller caller = deployment.caller();
  private final Caller unlucky = caller.via(proxy.target());

  @AfterEach
  void close() {
    unlucky.close();
    caller.close();
    proxy.close();
  }

  private <R> R sendAgain(Function<OperationServiceBlockingStub, R> call) {
    return proxy.sendAgain(() -> call.apply(unlucky.calls()));
  }

  @Test
  @DisplayName("BeginOperation sent again gets the claim that was lost [X1]")
  void begin() {
    var request = caller.begin("key").build();
    var acquired = sendAgain(stub -> stub.beginOperation(request)).getAcquired();

    assertThat(acquired.getAttempt()).isOne();
    assertThat(acquired.getReentrant()).isTrue();
    assertThat(acquired.getClaim().getFence()).isEqualTo(caller.get("key").getFence());
    assertHeldOnce(acquired.getClaim());
  }

  @Test
  @DisplayName("a take-over sent again is one take-over [X1]")
  void takeOver() {
    var dead = caller.acquireShortly("key");
    deployment.awaitLeasesOver(caller);
    var request = caller.begin("key").build();
    var acquired = sendAgain(stub -> stub.beginOperation(request)).getAcquired();

    assertThat(acquired.getAttempt()).isEqualTo(2);
    assertThat(acquired.getClaim().getFence()).isGreaterThan(dead.getFence());
    assertHeldOnce(acquired.getClaim());
  }

  private void assertHeldOnce(Claim claim) {
    assertThat(caller.send(caller.begin("key")).hasInProgress()).isTrue();
    assertThat(caller.complete(claim, Caller.json("1")).getCompleted().getAlready()).isFalse();
    assertThat(operations()).hasSize(1);
  }

  private List<Operation> operations() {
    return caller.calls().listOperations(caller.list().build()).getOperationsList();
  }

  @Test
  @DisplayName("given a repeated CompleteOperation, then it returns the first result [X1]")
  void complete() {
    var claim = caller.acquire("key");
    var request = caller.completion(claim, Caller.json("1"));
    assertThat(sendAgain(stub -> stub.completeOperation(request)).getCompleted().getAlready())
        .isTrue();

    assertThat(caller.send(caller.begin("key")).getReplay().getResult())
        .isEqualTo(Caller.json("1"));
    assertThat(operations()).hasSize(1);
  }

  @Test
  @DisplayName("an account change sent again is the same account change [X1]")
  void accountChange() {
    var begin = caller.begin("key").setAccountChanging(true);
    var claim = caller.acquire(begin).getClaim();
    var request =
        CompleteOperationRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setClaim(claim)
            .setAccountAfter("account-2")
            .build();
    assertThat(sendAgain(stub -> stub.completeOperation(request)).getCompleted().getAlready())
        .isTrue();
    assertThat(caller.send(begin.setAccount("account-2")).hasReplay()).isTrue();
  }

  @ParameterizedTest(name = "given FailOperation {0} is repeated, then it succeeds [X1]")
  @EnumSource(
      names = {"FAILURE_KIND_RETRYABLE", "FAILURE_KIND_FINAL", "FAILURE_KIND_UNKNOWN_EFFECT"})
  void fail(FailureKind kind) {
    var claim = caller.acquire("key");
    var request = caller.failure(claim, kind, Caller.failure("DECLINED"));
    assertThat(sendAgain(stub -> stub.failOperation(request)).getFailed().getAlready()).isTrue();

    var after = caller.get("key");
    assertThat(after.getFailure()).isEqualTo(Caller.failure("DECLINED"));
    assertThat(after.getFence()).isEqualTo(claim.getFence());
    var next = caller.send(caller.begin("key"));
    switch (kind) {
      case FAILURE_KIND_RETRYABLE -> assertThat(next.getAcquired().getAttempt()).isEqualTo(2);
      case FAILURE_KIND_FINAL -> assertThat(next.getReplay().hasFailure()).isTrue();
      default -> assertThat(next.hasIndeterminate()).isTrue();
    }
  }

  @Test
  @DisplayName(
      "given a rival began and completed the key, FailOperation sent again is `already` [X1]")
  void failAfterARival() {
    var lost =
        caller.failure(
            caller.acquire("key"), FailureKind.FAILURE_KIND_RETRYABLE, Caller.failure("BUSY"));
    proxy.cutNextAnswer();
    var unanswered = unlucky.futures().failOperation(lost);
    Condition.await("the answer is lost", unanswered::isDone);

    var rival = caller.acquire("key");
    assertThat(unlucky.calls().failOperation(lost).getFailed().getAlready()).isTrue();
    caller.complete(rival, Caller.json("1"));
    assertThat(unlucky.calls().failOperation(lost).getFailed().getAlready()).isTrue();
    assertThat(caller.send(caller.begin("key")).getReplay().getResult())
        .isEqualTo(Caller.json("1"));
  }

  @Test
  @DisplayName(
      "given a second release, a ResolveOperation sent again does not forget a result [X1]")
  void resolveAfterAnother() {
    caller.acquire("key");
    var lost = caller.resolution("key").setRequestId("r1");
    lost.getReleaseBuilder();
    proxy.cutNextAnswer();
    var unanswered = unlucky.futures().resolveOperation(lost.build());
    Condition.await("the answer is lost", unanswered::isDone);

    caller.acquire("key");
    caller.calls().resolveOperation(lost.clone().setRequestId("r2").build());
    caller.complete(caller.acquire("key"), Caller.json("1"));
    assertThat(unlucky.calls().resolveOperation(lost.build()).getAlready()).isTrue();
    assertThat(caller.send(caller.begin("key")).getReplay().getResult())
        .isEqualTo(Caller.json("1"));
  }

  @Test
  @DisplayName("RenewOperation sent again keeps the lease [X1]")
  void renew() {
    var claim = caller.acquireShortly("key");
    var request = caller.renewal(claim, Caller.seconds(3_600));
    var renewed = sendAgain(stub -> stub.renewOperation(request)).getRenewed();

    assertThat(renewed.getLeaseRemaining()).isEqualTo(Caller.seconds(3_600));
    assertHeldOnce(claim);
  }

  @ParameterizedTest(name = "ResolveOperation {0} sent again changes nothing [X1]")
  @ValueSource(strings = {"complete", "reject", "release"})
  void resolve(String verdict) {
    var claim = caller.acquire("key");
    var request = resolution(verdict);
    var resolved = sendAgain(stub -> stub.resolveOperation(request));

    assertThat(resolved.getAlready()).isTrue();
    assertThat(resolved.getOperation()).isEqualTo(caller.get("key"));
    assertThat(caller.complete(claim, Caller.json("2")).hasClaimLost()).isTrue();
    var next = caller.send(caller.begin("key"));
    switch (verdict) {
      case "complete" -> assertThat(next.getReplay().getResult()).isEqualTo(Caller.json("1"));
      case "reject" ->
          assertThat(next.getReplay().getFailure()).isEqualTo(Caller.failure("BY_HAND"));
      default -> assertThat(next.getAcquired().getAttempt()).isEqualTo(2);
    }
  }

  private ResolveOperationRequest resolution(String verdict) {
    var request = caller.resolution("key");
    switch (verdict) {
      case "complete" -> request.getCompleteBuilder().setResult(Caller.json("1"));
      case "reject" -> request.setReject(Caller.failure("BY_HAND"));
      default -> request.getReleaseBuilder();
    }
    return request.build();
  }

  @Test
  @DisplayName(
      "a wait whose answer is lost is answered with the replay when it is sent again " + "[X1]")
  void waiting() {
    var claim = caller.acquire("key");
    var request = caller.begin("key").setWait(Caller.seconds(30)).build();
    proxy.cutNextAnswer();
    var waiter = unlucky.futures().beginOperation(request);
    caller.complete(claim, Caller.json("1"));
    Condition.await("the answer is lost", waiter::isDone);

    assertThat(unlucky.calls().beginOperation(request).getReplay().getResult())
        .isEqualTo(Caller.json("1"));
  }
}
