package dev.hapax.client.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.FailureClassifier;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.WorkFailure;
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
class WorkflowDoubtTest {

  private static final PartOptions ONCE = PartOptions.DEFAULT.atMostOnce();

  private final WorkflowFixture fixture = new WorkflowFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  /** Another worker began the second attempt. */
  private void begun(Workflow<String> workflow) {
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
    fixture.start(context -> context.record("pay", PayloadCodec.json(), this::body, ONCE));
    fixture.hapax.timing.advance(Duration.ofMinutes(1));

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
    begun(context -> context.record("pay", PayloadCodec.json(), this::body, ONCE));

    assertFailed(FailureKind.FAILURE_KIND_UNKNOWN_EFFECT, "UNKNOWN_EFFECT");
    assertThat(fixture.done).isEmpty();
    assertThat(fixture.reports()).isEmpty();
  }

  @Test
  @DisplayName("given a part that was begun, then it is in doubt whatever the code says now")
  void doubtWithoutOption() {
    begun(context -> context.record("pay", this::body));

    assertFailed(FailureKind.FAILURE_KIND_UNKNOWN_EFFECT, "UNKNOWN_EFFECT");
    assertThat(fixture.done).isEmpty();
  }

  @Test
  @DisplayName("given a worker that died in the body, then the next one is in doubt")
  void doubtByAnswer() {
    fixture.hapax.faults.before("record", () -> fixture.run().parts.page = 1);
    fixture.start(
        context ->
            context.record(
                "pay",
                PayloadCodec.json(),
                partId -> {
                  fixture.once(partId);
                  fixture.hapax.work.takeAway(WorkflowFixture.RUN);
                  return "7";
                },
                ONCE));

    assertThat(fixture.done).containsExactly("pay");
    assertFailed(FailureKind.FAILURE_KIND_UNKNOWN_EFFECT, "UNKNOWN_EFFECT");
  }

  @Test
  @DisplayName("given evidence of the effect, then its value is the output")
  void found() {
    begun(
        context ->
            context.record(
                "pay",
                PayloadCodec.json(),
                this::body,
                ONCE.verify(
                    partId -> {
                      fixture.done.add("verify " + partId);
                      return Evidence.of(Optional.of("8"));
                    })));

    assertThat(fixture.done).containsExactly("verify run_1.step0/pay");
    assertThat(fixture.run().outputs).containsExactly("8");
  }

  private static final class FoundVoid implements PartVerifier<@Nullable Void> {
    @Override
    public Evidence<@Nullable Void> verify(String partId) {
      return Evidence.done(null);
    }
  }

  @Test
  @DisplayName("given evidence of an effect without a value, then the part is void")
  void foundVoid() {
    begun(
        context -> {
          context.record("pay", PayloadCodec.none(), partId -> null, ONCE.verify(new FoundVoid()));
          return "1";
        });

    assertThat(fixture.reports().get(0).getOutput().getJson()).isEqualTo("null");
    assertThat(fixture.run().outputs).containsExactly("1");
  }

  @Test
  @DisplayName("given evidence of no effect, then the body runs after a new beginning")
  void notDone() {
    begun(
        context ->
            context.record(
                "pay",
                PayloadCodec.json(),
                fixture::once,
                ONCE.verify(partId -> Evidence.of(Optional.<String>empty()))));

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
        context ->
            context.record(
                "pay",
                PayloadCodec.json(),
                fixture::once,
                PartOptions.retry(Retry.attempts(2))
                    .atMostOnce()
                    .verify(partId -> Evidence.notDone())));

    assertFailed(FailureKind.FAILURE_KIND_FINAL, "NOT_DONE");
    assertThat(fixture.done).isEmpty();
  }

  @Test
  @DisplayName("given a verifier that fails, then the execution fails, and the part stays begun")
  void verifierFails() {
    begun(
        context ->
            context.record(
                "pay",
                PayloadCodec.json(),
                this::body,
                ONCE.verify(
                    partId -> {
                      throw new IOException("no answer");
                    })));

    assertFailed(FailureKind.FAILURE_KIND_RETRYABLE, "java.io.IOException");
    assertThat(fixture.run().attempt).as("each attempt of the step verified").isEqualTo(3);
    assertThat(fixture.reports()).isEmpty();
  }

  @Test
  @DisplayName("given a body with an unknown effect, then the part is begun with the failure")
  void unknownEffect() {
    fixture.start(
        context ->
            context.record(
                "pay",
                partId -> {
                  throw WorkFailure.unknownEffect("LOST", "no answer");
                }));

    assertFailed(FailureKind.FAILURE_KIND_UNKNOWN_EFFECT, "LOST");
    assertThat(fixture.failures().get(0).getPartsList())
        .singleElement()
        .satisfies(part -> assertThat(part.hasBegin()).isTrue());
    assertThat(fixture.reports()).isEmpty();
  }

  @Test
  @DisplayName("given at most once, then a classifier can tell an unknown effect as well")
  void classified() {
    fixture.start(
        context ->
            context.record(
                "pay",
                PayloadCodec.json(),
                partId -> {
                  throw Status.DEADLINE_EXCEEDED.asRuntimeException();
                },
                ONCE),
        builder -> builder.failures(FailureClassifier.byStatus()));

    assertFailed(FailureKind.FAILURE_KIND_UNKNOWN_EFFECT, "DEADLINE_EXCEEDED");
    assertThat(fixture.failures().get(0).getPartsList()).isEmpty();
  }

  private String hangs(String partId) throws InterruptedException {
    fixture.once(partId);
    if (fixture.done.size() == 1) {
      fixture.hapax.timing.advance(Duration.ofSeconds(90));
      new CountDownLatch(1).await();
    }
    return "7";
  }

  @Test
  @DisplayName("given a timeout, then the body is interrupted, and it is a failure of the part")
  void timeout() {
    fixture.start(
        context ->
            context.record(
                "pay",
                PayloadCodec.json(),
                this::hangs,
                PartOptions.DEFAULT.timeout(Duration.ofSeconds(90))));
    fixture.hapax.timing.advance(Duration.ofMinutes(1));

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
        context ->
            context.record(
                "pay", PayloadCodec.json(), this::hangs, ONCE.timeout(Duration.ofSeconds(90))));

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
        context ->
            context.record(
                "pay",
                PayloadCodec.json(),
                partId -> {
                  fixture.hapax.timing.advance(Duration.ofSeconds(90));
                  return "7";
                },
                PartOptions.DEFAULT.timeout(Duration.ofSeconds(90))));

    assertThat(fixture.run().outputs).containsExactly("7");
    assertThat(fixture.reports().get(0).getElapsed().getSeconds()).isEqualTo(90);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }
}
