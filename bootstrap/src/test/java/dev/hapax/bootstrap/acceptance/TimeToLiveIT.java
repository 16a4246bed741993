package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.Operation;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TimeToLiveIT {
  private final Deployment deployment = Deployment.shared();
  private final Caller caller = deployment.caller();

  @AfterEach
  void close() {
    caller.close();
  }

  @Test
  @DisplayName("a result older than its ttl counts as new, also before any clean-up [I7]")
  void forgets() {
    var kept = caller.begin("kept").setTtl(Caller.seconds(3_600));
    caller.completeVoid(caller.acquire(kept).getClaim());
    var claim = caller.acquire(caller.begin("key").setTtl(Caller.millis(200))).getClaim();
    caller.complete(claim, Caller.json("\"old\""));
    awaitForgotten("key");
    assertThat(caller.send(caller.begin("kept")).hasReplay()).isTrue();
    assertThat(stored("operation_result")).isEqualTo("2");
    assertThat(listed()).containsExactly("kept");

    var next = caller.acquire(caller.begin("key"));
    assertThat(next.getAttempt()).isOne();
    assertThat(next.getReclaimed()).isFalse();
    assertThat(next.getClaim().getFence()).isGreaterThan(claim.getFence());
    assertThat(caller.complete(claim, Caller.json("\"old\"")).hasClaimLost()).isTrue();
    caller.complete(next.getClaim(), Caller.json("\"new\""));
    assertThat(caller.send(caller.begin("key")).getReplay().getResult())
        .isEqualTo(Caller.json("\"new\""));
    assertThat(listed()).containsExactly("key", "kept");
  }

  /** The newest first. */
  private List<String> listed() {
    return caller.calls().listOperations(caller.list().build()).getOperationsList().stream()
        .map(Operation::getRequestId)
        .toList();
  }

  @Test
  @DisplayName("exactly one of 50 begins a forgotten key anew [I7]")
  void beginsAnewOnce() {
    caller.completeVoid(caller.acquire(caller.begin("key").setTtl(Caller.millis(200))).getClaim());
    awaitForgotten("key");

    var answers =
        ConcurrentCalls.call(50, _ -> caller.futures().beginOperation(caller.begin("key").build()));

    assertThat(answers).filteredOn(answer -> answer.hasAcquired()).hasSize(1);
    assertThat(answers).filteredOn(answer -> answer.hasInProgress()).hasSize(49);
  }

  @Test
  @DisplayName(
      "a released and a rejected key are forgotten, too, with another payload as " + "well [I7]")
  void forgetsFailures() {
    for (var kind :
        new FailureKind[] {FailureKind.FAILURE_KIND_RETRYABLE, FailureKind.FAILURE_KIND_FINAL}) {
      var begin = caller.begin(kind.name()).setTtl(Caller.millis(200));
      caller.fail(caller.acquire(begin).getClaim(), kind);
      awaitForgotten(kind.name());
      var next = caller.acquire(caller.begin(kind.name()).clearFingerprint());
      assertThat(next.getAttempt()).isOne();
    }
  }

  @Test
  @DisplayName("what is in progress or indeterminate is never forgotten [I7]")
  void remembersWhatHasNotEnded() {
    caller.acquire(caller.begin("held").setTtl(Caller.millis(1)));
    var doubtful = caller.acquire(caller.begin("doubtful").setTtl(Caller.millis(1))).getClaim();
    caller.fail(doubtful, FailureKind.FAILURE_KIND_UNKNOWN_EFFECT);

    assertThat(caller.send(caller.begin("held")).hasInProgress()).isTrue();
    assertThat(caller.send(caller.begin("doubtful")).hasIndeterminate()).isTrue();
    assertThat(caller.complete(doubtful, Caller.json("1")).hasCompleted()).isTrue();
    assertThat(caller.complete(doubtful, Caller.json("1")).getCompleted().getAlready()).isTrue();
    // the answer's time began with the grant, and is over
    assertThat(caller.send(caller.begin("doubtful")).hasAcquired()).isTrue();
  }

  @Test
  @DisplayName("clean-up drops the partitions of days that are over [I7]")
  void dropsPartitions() {
    deployment
        .database()
        .execute(
            "CREATE TABLE hapax.operation_result_20200101 PARTITION OF hapax.operation_result"
                + " FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')");
    try (var another = deployment.add()) {
      another.awaitReady();
      Condition.await(
          "the partition is dropped",
          () ->
              deployment
                  .database()
                  .query("SELECT to_regclass('hapax.operation_result_20200101') IS NULL")
                  .equals("t"));
    }
  }

  private void awaitForgotten(String key) {
    Condition.await(
        key + " is forgotten",
        () -> {
          try {
            caller.get(key);
            return false;
          } catch (io.grpc.StatusRuntimeException e) {
            assertThat(Refusal.of(e).reason())
                .isEqualTo(ErrorReason.ERROR_REASON_OPERATION_NOT_FOUND);
            return true;
          }
        });
  }

  private String stored(String table) {
    return deployment
        .database()
        .query(
            "SELECT count(*) FROM hapax.%s WHERE workspace = '%s'"
                .formatted(table, caller.workspace()));
  }
}
