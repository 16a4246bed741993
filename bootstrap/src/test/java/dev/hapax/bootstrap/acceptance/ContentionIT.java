package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.BeginOperationResponse.Acquired;
import dev.hapax.v1.BeginOperationResponse.OutcomeCase;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.OperationState;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class ContentionIT {
  private static final int CALLS = 50;
  private static final int LONG_WAIT_SECONDS = 30;
  private final Deployment deployment = Deployment.shared();
  private final Caller caller = deployment.caller();
  private final List<Caller> callers =
      Stream.generate(() -> caller.via(deployment.target())).limit(5).toList();

  @AfterEach
  void close() {
    caller.close();
    callers.forEach(Caller::close);
  }

  @RepeatedTest(
      value = 10,
      name = "of 50 concurrent Begins one executes ({currentRepetition}) [I2]")
  void grantsOnce() {
    var answers =
        ConcurrentCalls.answers(ConcurrentCalls.begin(CALLS, callers, _ -> caller.begin("key")));

    assertThat(answers)
        .extracting(BeginOperationResponse::getOutcomeCase)
        .containsOnlyOnce(OutcomeCase.ACQUIRED)
        .containsOnly(OutcomeCase.ACQUIRED, OutcomeCase.IN_PROGRESS);
    assertThat(answers)
        .filteredOn(BeginOperationResponse::hasInProgress)
        .extracting(BeginOperationResponse::getInProgress)
        .allSatisfy(
            held -> {
              assertThat(held.getAttempt()).isOne();
              assertThat(held.hasStartedAt()).isTrue();
              assertThat(held.getRetryAfter().getNanos() + held.getRetryAfter().getSeconds())
                  .isPositive();
            });
    assertThat(caller.get("key").getAttempt()).isOne();
  }

  @Test
  @DisplayName("with wait, the 49 others get the replay [I2]")
  void waitersGetTheReplay() {
    var calls =
        ConcurrentCalls.begin(
            CALLS, callers, _ -> caller.begin("key").setWait(Caller.seconds(LONG_WAIT_SECONDS)));
    var winner = firstAcquired(calls);

    caller.complete(winner.getClaim(), Caller.json("{\"done\": true}"));

    var answers = ConcurrentCalls.answers(calls);
    assertThat(answers).filteredOn(BeginOperationResponse::hasAcquired).hasSize(1);
    assertThat(answers)
        .filteredOn(BeginOperationResponse::hasReplay)
        .hasSize(CALLS - 1)
        .allSatisfy(
            answer ->
                assertThat(answer.getReplay().getResult())
                    .isEqualTo(Caller.json("{\"done\": true}")));
  }

  private static Acquired firstAcquired(List<ListenableFuture<BeginOperationResponse>> calls) {
    Condition.await("one acquired", () -> acquired(calls) == 1);
    return calls.stream()
        .filter(Future::isDone)
        .map(ConcurrentCalls::answer)
        .filter(BeginOperationResponse::hasAcquired)
        .findFirst()
        .orElseThrow()
        .getAcquired();
  }

  private static long acquired(List<ListenableFuture<BeginOperationResponse>> calls) {
    return calls.stream()
        .filter(Future::isDone)
        .filter(call -> ConcurrentCalls.answer(call).hasAcquired())
        .count();
  }

  @Test
  @DisplayName(
      "given waiting callers, when the holder fails, then exactly one of them "
          + "acquires the key [I3]")
  void waitersInheritOneByOne() {
    var holder = caller.acquire("key");
    var calls =
        ConcurrentCalls.begin(
            20, callers, _ -> caller.begin("key").setWait(Caller.seconds(LONG_WAIT_SECONDS)));

    for (var attempt = 2; attempt <= 4; attempt++) {
      caller.fail(holder, FailureKind.FAILURE_KIND_RETRYABLE);
      var granted = attempt - 1;
      Condition.await("the next one goes on", () -> acquired(calls) == granted);
      var next = newest(calls);
      assertThat(next.getAttempt()).isEqualTo(attempt);
      assertThat(next.getReclaimed()).isFalse();
      assertThat(next.getClaim().getFence()).isGreaterThan(holder.getFence());
      holder = next.getClaim();
    }
    caller.complete(holder, Caller.json("4"));

    assertThat(
            ConcurrentCalls.answers(calls).stream()
                .collect(
                    Collectors.groupingBy(
                        BeginOperationResponse::getOutcomeCase, Collectors.counting())))
        .containsEntry(OutcomeCase.ACQUIRED, 3L)
        .containsEntry(OutcomeCase.REPLAY, 17L);
  }

  private static Acquired newest(List<ListenableFuture<BeginOperationResponse>> calls) {
    return calls.stream()
        .filter(Future::isDone)
        .map(ConcurrentCalls::answer)
        .filter(BeginOperationResponse::hasAcquired)
        .map(BeginOperationResponse::getAcquired)
        .max((a, b) -> Long.compare(a.getClaim().getFence(), b.getClaim().getFence()))
        .orElseThrow();
  }

  @RepeatedTest(
      value = 5,
      name = "exactly one of 50 reclaims a stale key ({currentRepetition}) [I9]")
  void reclaimsOnce() {
    var dead = caller.acquireShortly("key");
    deployment.awaitLeasesOver(caller);

    var answers =
        ConcurrentCalls.answers(ConcurrentCalls.begin(CALLS, callers, _ -> caller.begin("key")));

    var winners =
        answers.stream()
            .filter(BeginOperationResponse::hasAcquired)
            .map(BeginOperationResponse::getAcquired)
            .toList();
    assertThat(winners).hasSize(1);
    assertThat(answers).filteredOn(BeginOperationResponse::hasInProgress).hasSize(CALLS - 1);
    var winner = winners.getFirst();
    assertThat(winner.getReclaimed()).isTrue();
    assertThat(winner.getAttempt()).isEqualTo(2);
    assertThat(winner.getClaim().getFence()).isGreaterThan(dead.getFence());

    // while the winner works, the old owner is refused without an answer
    var refused = caller.complete(dead, Caller.json("\"late\"")).getClaimLost();
    assertThat(refused.getReason()).isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    assertThat(refused.getOperationState()).isEqualTo(OperationState.OPERATION_STATE_IN_PROGRESS);
    assertThat(refused.hasReplay()).isFalse();
    assertThat(caller.renew(dead).hasClaimLost()).isTrue();
    assertThat(caller.fail(dead, FailureKind.FAILURE_KIND_RETRYABLE).hasClaimLost()).isTrue();

    caller.complete(winner.getClaim(), Caller.json("\"winner's\""));
    var lost = caller.complete(dead, Caller.json("\"late\"")).getClaimLost();
    assertThat(lost.getOperationState()).isEqualTo(OperationState.OPERATION_STATE_COMPLETED);
    assertThat(lost.getReplay().getResult()).isEqualTo(Caller.json("\"winner's\""));
    assertThat(caller.send(caller.begin("key")).getReplay()).isEqualTo(lost.getReplay());
  }

  @Test
  @DisplayName("when a holder dies, exactly one of 50 waiters takes over [I9]")
  void waitersTakeOver() {
    caller.acquire(caller.begin("key").setLease(Caller.millis(500)));
    var calls =
        ConcurrentCalls.begin(
            CALLS, callers, _ -> caller.begin("key").setWait(Caller.seconds(LONG_WAIT_SECONDS)));

    var winner = firstAcquired(calls);
    assertThat(winner.getReclaimed()).isTrue();
    caller.completeVoid(winner.getClaim());

    var answers = ConcurrentCalls.answers(calls);
    assertThat(answers).filteredOn(BeginOperationResponse::hasAcquired).hasSize(1);
    assertThat(answers).filteredOn(BeginOperationResponse::hasReplay).hasSize(CALLS - 1);
  }

  @Test
  @DisplayName(
      "given an expired lease without a new holder, then the late holder renews and "
          + "completes [I9]")
  void lateOwnerCompletes() {
    var late = caller.acquireShortly("completed");
    var revived = caller.acquireShortly("renewed");
    deployment.awaitLeasesOver(caller);

    assertThat(caller.complete(late, Caller.json("1")).hasCompleted()).isTrue();
    assertThat(caller.send(caller.begin("completed")).hasReplay()).isTrue();
    assertThat(caller.renew(revived).getRenewed().getLeaseRemaining())
        .isEqualTo(Caller.seconds(60));
    assertThat(caller.send(caller.begin("renewed")).hasInProgress()).isTrue();
  }

  @Test
  @DisplayName("a wait that ends first is answered in_progress [I2]")
  void waitEnds() {
    caller.acquire("key");
    assertThat(caller.send(caller.begin("key").setWait(Caller.millis(200))).hasInProgress())
        .isTrue();
  }
}
