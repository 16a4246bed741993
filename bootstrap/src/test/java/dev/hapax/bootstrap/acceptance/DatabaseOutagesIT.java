package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.OperationServiceGrpc;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** PostgreSQL accepts no connection for a while. */
@Tag("fault")
@Tag("long")
class DatabaseOutagesIT {
  /** The row says 5 s; a busy machine may take longer, and what is asked here is that it comes. */
  private static final Duration RECOVERY = Duration.ofSeconds(15);

  @Test
  @DisplayName("a database that is gone is UNAVAILABLE and NOT_SERVING until it is back [X3]")
  void recovers() {
    try (var deployment = Deployment.start();
        var caller = deployment.caller()) {
      var claim = caller.acquire("key");
      assertThat(health(caller)).isEqualTo(ServingStatus.SERVING);
      deployment.database().allowConnections(false);
      deployment.database().disconnectAll();

      var refusal = Refusal.of(() -> caller.send(caller.begin("another")));
      assertThat(refusal.code()).isEqualTo(Code.UNAVAILABLE);
      assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_UNAVAILABLE);
      assertThat(Refusal.of(() -> caller.get("key")).reason())
          .isEqualTo(ErrorReason.ERROR_REASON_UNAVAILABLE);
      Condition.await("NOT_SERVING", () -> health(caller) == ServingStatus.NOT_SERVING);
      deployment.database().allowConnections(true);

      var back = caller.begin("back");
      Condition.await("it answers", RECOVERY, () -> isAcquired(caller, back));
      assertThat(caller.complete(claim, Caller.json("1")).hasCompleted()).isTrue();
      // reads have connections of their own, and health goes by those
      Condition.await("SERVING", RECOVERY, () -> health(caller) == ServingStatus.SERVING);
      assertThat(caller.get("key").getResult()).isEqualTo(Caller.json("1"));
    }
  }

  @ParameterizedTest(
      name = "given an outage of {0} s, then calls fail fast, and succeed 1 s after it")
  @ValueSource(ints = {3, 30})
  @Tag("black-box-F2")
  @Tag("kill-loops-K7")
  void outage(int seconds) throws Exception {
    answersAfter(Duration.ofSeconds(seconds));
  }

  @Test
  @Tag("nightly")
  @DisplayName("given an outage of 90 s, then calls fail fast, and succeed 1 s after it")
  void veryLongOutage() throws Exception {
    answersAfter(Duration.ofSeconds(90));
  }

  /** What an outage of this length does to calls, by the figures that docs/faq.md promises. */
  private static void answersAfter(Duration length) throws Exception {
    var second = TimeUnit.SECONDS.toNanos(1);
    try (var deployment = Deployment.start();
        var caller = deployment.caller()) {
      var claim = caller.acquire("key");
      deployment.database().allowConnections(false);
      deployment.database().disconnectAll();
      var begun = System.nanoTime();
      var held = caller.futures().completeOperation(caller.completion(claim, Caller.json("1")));
      var isLong = length.compareTo(Duration.ofSeconds(12)) > 0;
      if (isLong) {
        assertThatThrownBy(() -> ConcurrentCalls.answer(held)).hasMessageContaining("UNAVAILABLE");
        for (var call = 0; call < 10; call++) {
          var sent = System.nanoTime();
          var refusal = Refusal.of(() -> caller.send(caller.begin("new")));
          assertThat(System.nanoTime() - sent).isLessThan(second);
          assertThat(refusal.code()).isEqualTo(Code.UNAVAILABLE);
          assertThat(refusal.saysWhenToRetry()).isTrue();
          assertThat(refusal.message()).contains("the database has not answered for ");
        }
      }
      Condition.await(
          "the end of the outage",
          length.multipliedBy(2),
          () -> System.nanoTime() - begun >= length.toNanos());
      deployment.database().allowConnections(true);
      var returned = System.nanoTime();

      if (isLong) {
        Condition.await("it answers", () -> isAcquired(caller, caller.begin("back")));
      } else {
        assertThat(ConcurrentCalls.answer(held).hasCompleted()).isTrue();
      }
      assertThat(System.nanoTime() - returned).isLessThan(second);
      assertThat(deployment.server().errors()).noneMatch(line -> line.startsWith("\tat "));
    }
  }

  private static boolean isAcquired(Caller caller, BeginOperationRequest.Builder begin) {
    try {
      return caller.send(begin).hasAcquired();
    } catch (StatusRuntimeException e) {
      assertThat(e.getStatus().getCode()).isEqualTo(Code.UNAVAILABLE);
      return false;
    }
  }

  /** Of the server and of its service alike. */
  private static ServingStatus health(Caller caller) {
    var stub = HealthGrpc.newBlockingStub(caller.channel());
    var server = stub.check(HealthCheckRequest.getDefaultInstance()).getStatus();
    var service =
        stub.check(
                HealthCheckRequest.newBuilder()
                    .setService(OperationServiceGrpc.SERVICE_NAME)
                    .build())
            .getStatus();
    return server == service ? server : ServingStatus.UNKNOWN;
  }
}
