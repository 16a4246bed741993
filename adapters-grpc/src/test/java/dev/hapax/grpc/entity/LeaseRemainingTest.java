package dev.hapax.grpc.entity;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.JanitorMode;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.TaskStep;
import dev.hapax.v1.WorkerServiceGrpc;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Callers count a lease from when they sent: it must not be longer than the server's. */
class LeaseRemainingTest {
  private static final Duration LEASE = Duration.ofSeconds(60);

  /** What an answer takes on its way from the decision; it passes while the test looks on. */
  private static final Duration SLOW = Duration.ofMillis(200);

  private final ClaimServices services = new ClaimServices();

  @AfterEach
  void close() {
    services.close();
  }

  /** By how much the lease in the response ends later than the granted one. */
  private <R> Duration excess(
      Supplier<ListenableFuture<R>> call, Function<R, com.google.protobuf.Duration> remaining)
      throws Exception {
    services.steered.holdAnswers();
    var asked = System.nanoTime();
    var answer = call.get();
    assertThat(services.steered.held()).isPositive();
    var decided = System.nanoTime();
    while (System.nanoTime() - decided < SLOW.toNanos()) {
      Thread.onSpinWait();
    }
    while (services.steered.held() > 0) {
      services.steered.letGo();
    }
    services.steered.holdNothing();
    var remainder = remaining.apply(answer.get(10, TimeUnit.SECONDS));
    return Duration.ofSeconds(remainder.getSeconds(), remainder.getNanos())
        .minus(LEASE)
        .minusNanos(decided - asked);
  }

  @Test
  @DisplayName(
      "given a recovery, then its lease starts with the decision, not with the " + "response [C6]")
  void recovery() throws Exception {
    services.prepare(JanitorMode.JANITOR_MODE_REMOTE);
    assertThat(services.claimed("inv-1").getExclusive()).isTrue();
    services.afterTheLease();
    var stub = JanitorServiceGrpc.newFutureStub(services.channel);
    var request = PollRecoveriesRequest.newBuilder().setModule(ClaimServices.MODULE).build();

    assertThat(
            excess(
                () -> stub.pollRecoveries(request),
                answer -> answer.getRecoveries(0).getLeaseRemaining()))
        .isLessThanOrEqualTo(Duration.ZERO);
  }

  @Test
  @DisplayName(
      "given a task, then its lease starts with the decision, not with the response " + "[R6]")
  void task() throws Exception {
    var _ =
        DefinitionServiceGrpc.newBlockingStub(services.channel)
            .registerDefinition(
                RegisterDefinitionRequest.newBuilder()
                    .setName("work")
                    .setVersion("1")
                    .addSteps(
                        StepDefinition.newBuilder()
                            .setName("step")
                            .setTask(
                                TaskStep.newBuilder()
                                    .setQueue("q")
                                    .setLease(
                                        com.google.protobuf.Duration.newBuilder()
                                            .setSeconds(LEASE.toSeconds()))))
                    .build());
    var _ =
        RunServiceGrpc.newBlockingStub(services.channel)
            .startRun(StartRunRequest.newBuilder().setDefinition("work").build());
    var stub = WorkerServiceGrpc.newFutureStub(services.channel);
    var request = PollTasksRequest.newBuilder().addQueues("q").setWorkerId("worker").build();

    assertThat(
            excess(() -> stub.pollTasks(request), answer -> answer.getTasks(0).getLeaseRemaining()))
        .isLessThanOrEqualTo(Duration.ZERO);
  }
}
