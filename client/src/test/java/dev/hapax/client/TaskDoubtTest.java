package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.FailureKind;
import dev.hapax.v1.OpenPart;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.PartState;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RunStatus;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TaskDoubtTest {

  private static final Codec<String> JSON = TaskFixture.JSON;

  private static final PartOptions<String> ONCE = PartOptions.of(JSON).atMostOnce();

  private final TaskFixture fixture = new TaskFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  /** Another worker began the second attempt. */
  private void begun(TaskFixture.Code workflow) {
    fixture.resume(
        () ->
            fixture
                .run()
                .parts
                .open
                .put(
                    "pay",
                    OpenPart.newBuilder()
                        .setName("pay")
                        .setState(PartState.PART_STATE_BEGUN)
                        .setAttempts(2)
                        .build()),
        workflow,
        UnaryOperator.identity());
  }

  private String body(String partId) throws IOException {
    fixture.once(partId);
    if (fixture.done.size() == 1) {
      throw new IOException("refused, without an effect");
    }
    return "7";
  }

  private void assertFailed(FailureKind kind, String code) {
    assertThat(fixture.failures())
        .first()
        .satisfies(
            failed -> {
              assertThat(failed.getKind()).isEqualTo(kind);
              assertThat(failed.getFailure().getCode()).isEqualTo(code);
              assertThat(failed.getFailure().getPart()).isEqualTo("pay");
            });
  }

  @Test
  @DisplayName("given at most once, then each attempt is begun before its body runs")
  void begins() {
    fixture.start(task -> task.record("pay",ONCE, this::body));
    fixture.advance(Duration.ofMinutes(1));

    assertThat(fixture.reports())
        .extracting(PartRecord::getResultCase)
        .containsExactly(
            PartRecord.ResultCase.BEGIN,
            PartRecord.ResultCase.FAILURE,
            PartRecord.ResultCase.BEGIN,
            PartRecord.ResultCase.OUTPUT);
    assertThat(fixture.reports().get(1).getFailure().getAttempt()).isEqualTo(1);
    assertThat(fixture.run().outputs).containsExactly("7");
  }

  @Test
  @DisplayName("given a part that another worker began, then the body does not run")
  void doubt() {
    begun(task -> task.record("pay",ONCE, this::body));

    assertFailed(FailureKind.FAILURE_KIND_UNKNOWN_EFFECT, "UNKNOWN_EFFECT");
    assertThat(fixture.done).isEmpty();
    assertThat(fixture.reports()).isEmpty();
  }

  @Test
  @DisplayName("given a part that was begun, then it is in doubt whatever the code says now")
  void doubtWithoutOption() {
    begun(task -> task.record("pay", JSON, this::body));

    assertFailed(FailureKind.FAILURE_KIND_UNKNOWN_EFFECT, "UNKNOWN_EFFECT");
    assertThat(fixture.done).isEmpty();
  }

  @Test
  @DisplayName("given a worker that died in the body, then the next one is in doubt")
  void doubtByAnswer() {
    fixture.hapax.faults.before("record", () -> fixture.run().parts.page = 1);
    fixture.start(
        task ->
            task.record(
                "pay",
               ONCE, partId -> {
                  fixture.once(partId);
                  fixture.hapax.work.takeAway(TaskFixture.RUN);
                  return "7";
                }));

    assertThat(fixture.done).containsExactly("pay");
    assertFailed(FailureKind.FAILURE_KIND_UNKNOWN_EFFECT, "UNKNOWN_EFFECT");
  }

  @Test
  @DisplayName("given evidence of the effect, then its value is the output")
  void found() {
    begun(
        task ->
            task.record(
                "pay",
               ONCE.verify(
                    partId -> {
                      fixture.done.add("verify " + partId);
                      return Optional.of("8");
                    }), this::body));

    assertThat(fixture.done).containsExactly("verify run_1.step0/pay");
    assertThat(fixture.run().outputs).containsExactly("8");
  }

  @Test
  @DisplayName("given evidence of no effect, then the body runs after a new beginning")
  void notDone() {
    begun(
        task ->
            task.record(
                "pay",
               ONCE.verify(partId -> Optional.<String>empty()), fixture::once));

    List<PartRecord> first =
        fixture.hapax.work.requests(RecordStepRequest.class).get(0).getPartsList();
    assertThat(first)
        .extracting(PartRecord::getResultCase)
        .containsExactly(PartRecord.ResultCase.FAILURE, PartRecord.ResultCase.BEGIN);
    assertThat(first.get(0).getFailure().getAttempt()).isEqualTo(2);
    assertThat(first.get(0).getFailure().getFailure().getCode()).isEqualTo("NOT_DONE");
    assertThat(first.get(0).getFailure().getFailure().getMessage())
        .isEqualTo("verify found no effect");
    assertThat(fixture.done).containsExactly("pay");
    assertThat(fixture.status()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  @DisplayName("given no attempt left, when there was no effect, then the part has failed")
  void notDoneForGood() {
    begun(
        task ->
            task.record(
                "pay",
               PartOptions.of(JSON).retry(Retry.attempts(2))
                    .atMostOnce()
                    .verify(partId -> Optional.<String>empty()), fixture::once));

    assertFailed(FailureKind.FAILURE_KIND_FINAL, "NOT_DONE");
    assertThat(fixture.done).isEmpty();
  }

  @Test
  @DisplayName("given a verifier that fails, then the execution fails, and the part stays begun")
  void verifierFails() {
    begun(
        task ->
            task.record(
                "pay",
               ONCE.verify(
                    partId -> {
                      throw new IOException("no answer");
                    }), this::body));

    assertFailed(FailureKind.FAILURE_KIND_RETRYABLE, "java.io.IOException");
    assertThat(fixture.run().attempt).as("each attempt of the step verified").isEqualTo(3);
    assertThat(fixture.reports()).isEmpty();
  }

  @Test
  @DisplayName("given a body with an unknown effect, then the part is begun with the failure")
  void unknownEffect() {
    fixture.start(
        task ->
            task.record(
                "pay",
                JSON, partId -> {
                  throw new UnknownEffect("LOST", "no answer");
                }));

    assertFailed(FailureKind.FAILURE_KIND_UNKNOWN_EFFECT, "LOST");
    assertThat(fixture.failures().get(0).getPartsList())
        .singleElement()
        .satisfies(part -> assertThat(part.hasBegin()).isTrue());
    assertThat(fixture.reports()).isEmpty();
  }

  private String hangs(String partId) throws InterruptedException {
    fixture.once(partId);
    if (fixture.done.size() == 1) {
      fixture.advance(Duration.ofSeconds(90));
      new CountDownLatch(1).await();
    }
    return "7";
  }

  @Test
  @DisplayName("given a timeout, then the body is interrupted, and it is a failure of the part")
  void timeout() {
    fixture.start(
        task ->
            task.record(
                "pay",
               PartOptions.of(JSON).timeout(Duration.ofSeconds(90)), this::hangs));
    fixture.advance(Duration.ofMinutes(1));

    assertThat(fixture.reports().get(0).getFailure().getFailure().getCode())
        .isEqualTo("PART_TIMEOUT");
    assertThat(fixture.done).hasSize(2);
    assertThat(fixture.run().outputs).containsExactly("7");
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  @DisplayName("given a timeout and at most once, then the next execution is in doubt")
  void timeoutInDoubt() {
    fixture.start(
        task ->
            task.record(
                "pay",ONCE.timeout(Duration.ofSeconds(90)), this::hangs));

    assertFailed(FailureKind.FAILURE_KIND_RETRYABLE, "PART_TIMEOUT");
    assertThat(fixture.failures()).hasSize(2);
    assertThat(fixture.failures().get(1).getKind())
        .isEqualTo(FailureKind.FAILURE_KIND_UNKNOWN_EFFECT);
    assertThat(fixture.done).hasSize(1);
  }

  @Test
  @DisplayName("given a body that returns after its timeout, then its output is recorded")
  void lateOutput() {
    fixture.start(
        task ->
            task.record(
                "pay",
               PartOptions.of(JSON).timeout(Duration.ofSeconds(90)), partId -> {
                  fixture.hapax.timing.advance(Duration.ofSeconds(90));
                  return "7";
                }));

    assertThat(fixture.run().outputs).containsExactly("7");
    assertThat(fixture.reports().get(0).getElapsed().getSeconds()).isEqualTo(90);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }
}
