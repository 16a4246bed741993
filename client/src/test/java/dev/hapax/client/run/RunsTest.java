package dev.hapax.client.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.Conditions;
import dev.hapax.client.ControlOptions;
import dev.hapax.client.FakeHapax;
import dev.hapax.client.HapaxException;
import dev.hapax.client.ManualTiming;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.RunSignal;
import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.WatchRunRequest;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RunsTest {

  private static final RunRequest ORDER = RunRequest.of("order").withKey("o1");
  private static final Duration HOUR = Duration.ofHours(1);

  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private final FakeHapax<ManualTiming> still = FakeHapax.still();
  private final Runs runs = hapax.client().runs();

  @AfterEach
  void close() {
    hapax.close();
    still.close();
  }

  @Test
  void sendsWhatWasAskedFor() {
    Instant tomorrow = Instant.ofEpochSecond(2_000_000_000);
    runs.as("alice")
        .start(
            ORDER
                .withVersion("2")
                .withInput(PayloadCodec.json(), "{\"n\":1}")
                .withStartAt(tomorrow)
                .withLabel("shop", "berlin")
                .withKeyRetention(Duration.ofDays(3)));

    StartRunRequest sent = hapax.runs.requests(StartRunRequest.class).get(0);
    assertThat(sent.getDefinition()).isEqualTo("order");
    assertThat(sent.getDefinitionVersion()).isEqualTo("2");
    assertThat(sent.getInput().getJson()).isEqualTo("{\"n\":1}");
    assertThat(sent.getIdempotencyKey()).isEqualTo("o1");
    assertThat(sent.getStartAt().getSeconds()).isEqualTo(2_000_000_000);
    assertThat(sent.getLabelsMap()).containsEntry("shop", "berlin");
    assertThat(sent.getKeyRetention().getSeconds()).isEqualTo(3 * 86_400);
    assertThat(sent.getActor()).isEqualTo("alice");
  }

  @Test
  void theSameKeyIsTheSameRun() {
    var first = runs.start(ORDER);
    var second = runs.start(ORDER);

    assertThat(first.getCreated()).isTrue();
    assertThat(second.getCreated()).isFalse();
    assertThat(second.getRun().getId()).isEqualTo(first.getRun().getId());
  }

  @Test
  void aReusedKeyNamesItsRun() {
    String runId = runs.start(ORDER).getRun().getId();

    assertThatThrownBy(() -> runs.start(ORDER.withInput(PayloadCodec.json(), "1")))
        .isInstanceOfSatisfying(
            HapaxException.Refused.class,
            refused -> {
              assertThat(refused.reason())
                  .isEqualTo(ErrorReason.ERROR_REASON_IDEMPOTENCY_KEY_REUSED);
              assertThat(refused.metadata()).containsEntry("run_id", runId);
            });
  }

  @Test
  void aLostAnswerStartsNoSecondRunAlsoWithoutAKey() {
    hapax.faults.drop("start", 2);

    runs.start(RunRequest.of("order"));

    assertThat(hapax.faults.calls("start")).isEqualTo(3);
    assertThat(hapax.runs.count()).isEqualTo(1);
    assertThat(hapax.runs.requests(StartRunRequest.class))
        .extracting(StartRunRequest::getIdempotencyKey)
        .doesNotContain("")
        .containsOnly(hapax.runs.requests(StartRunRequest.class).get(0).getIdempotencyKey());
    runs.start(RunRequest.of("order"));
    assertThat(hapax.runs.count()).as("another call has another key").isEqualTo(2);
  }

  @Test
  void saysThatHapaxCannotBeReached() {
    hapax.faults.down(true);
    Runs hasty = hapax.client(options -> options.withCallTimeout(Duration.ofMillis(200))).runs();

    assertThatThrownBy(() -> hasty.start(ORDER)).isInstanceOf(HapaxException.Unavailable.class);
  }

  @Test
  void awaitsInSlicesUntilTheRunHasEnded() {
    Runs patient = still.client().runs();
    String runId = patient.start(ORDER).getRun().getId();
    CompletableFuture<Run> ended = patient.awaitAsync(runId, HOUR);

    still.timing.advance(Duration.ofMinutes(2));
    assertThat(ended).isNotDone();
    still.runs.complete(runId, "1");

    assertThat(ended.join().getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(still.runs.requests(AwaitRunRequest.class))
        .hasSize(7)
        .allSatisfy(slice -> assertThat(slice.getWait().getSeconds()).isEqualTo(20));
  }

  @Test
  void awaitsThroughAnOutage() {
    Runs patient = still.client().runs();
    String runId = patient.start(ORDER).getRun().getId();
    still.faults.down(true);
    CompletableFuture<Run> ended = patient.awaitAsync(runId, HOUR);
    still.timing.advance(Duration.ofMinutes(10));
    assertThat(ended).isNotDone();

    still.faults.down(false);
    still.runs.complete(runId, "1");
    still.timing.advance(Duration.ofSeconds(2));

    assertThat(ended.join().getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  void returnsTheRunAsItIsWhenTheTimeIsOver() {
    Runs patient = still.client().runs();
    String runId = patient.start(ORDER).getRun().getId();
    CompletableFuture<Run> ended = patient.awaitAsync(runId, Duration.ofSeconds(50));

    still.timing.advance(Duration.ofMillis(49_999));
    assertThat(ended).isNotDone();
    still.timing.advance(Duration.ofMillis(1));

    assertThat(ended.join().getStatus()).isEqualTo(RunStatus.RUN_STATUS_PENDING);
  }

  @Test
  void looksAKeyUpOnce() {
    Runs patient = still.client().runs();
    String runId = patient.start(ORDER).getRun().getId();

    patient.awaitKey("o1", Duration.ZERO);
    var ended = CompletableFuture.supplyAsync(() -> patient.awaitKey("o1", Duration.ofSeconds(25)));
    Conditions.until(() -> still.runs.requests(AwaitRunRequest.class).size() == 2);
    still.timing.advance(Duration.ofSeconds(20));
    still.runs.complete(runId, "1");

    assertThat(ended.join().getId()).isEqualTo(runId);
    assertThat(still.runs.requests(AwaitRunRequest.class).get(2).getRunId()).isEqualTo(runId);
  }

  @Test
  void awaitsAChange() {
    String runId = runs.start(ORDER).getRun().getId();
    var moved = CompletableFuture.supplyAsync(() -> runs.awaitChange(runId, 1, HOUR));
    Conditions.until(() -> !hapax.runs.requests(AwaitRunRequest.class).isEmpty());

    hapax.runs.move(runId, RunStatus.RUN_STATUS_RUNNING);

    assertThat(moved.join().getVersion()).isEqualTo(2);
  }

  @Test
  void returnsTheOutputOrThrowsHowItEnded() {
    String completed = runs.start(ORDER.withKey("a")).getRun().getId();
    String failed = runs.start(ORDER.withKey("b")).getRun().getId();
    String cancelled = runs.start(ORDER.withKey("c")).getRun().getId();
    String going = runs.start(ORDER.withKey("d")).getRun().getId();
    hapax.runs.complete(completed, "{\"paid\": true }");
    hapax.runs.fail(failed, "CARD_DECLINED");
    hapax.runs.move(cancelled, RunStatus.RUN_STATUS_CANCELLED);

    assertThat(runs.result(completed, PayloadCodec.json(), HOUR)).isEqualTo("{\"paid\": true }");
    assertThatThrownBy(() -> runs.result(failed, PayloadCodec.json(), HOUR))
        .isInstanceOfSatisfying(
            RunFailedException.class,
            thrown -> {
              assertThat(thrown.failure().getCode()).isEqualTo("CARD_DECLINED");
              assertThat(thrown.run().getId()).isEqualTo(failed);
            })
        .hasMessageContaining("charge");
    assertThatThrownBy(() -> runs.result(cancelled, PayloadCodec.json(), HOUR))
        .isInstanceOf(RunCancelledException.class);
    assertThatThrownBy(() -> runs.result(going, PayloadCodec.json(), Duration.ZERO))
        .isInstanceOf(RunNotEndedException.class);
  }

  @Test
  void anInterruptEndsAWaitAndIsKept() {
    String runId = runs.start(ORDER).getRun().getId();
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> runs.await(runId, HOUR))
        .isInstanceOf(HapaxException.Unavailable.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aSignalIsSentOnceThoughItsAnswerIsLost() {
    String runId = runs.start(ORDER).getRun().getId();
    hapax.faults.drop("signal", 1);

    SignalDisposition delivery =
        runs.signal(runId, RunSignal.of("approved").withPayload(PayloadCodec.json(), "true"));

    assertThat(delivery)
        .as("the answer to the second")
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DUPLICATE);
    List<SignalRunRequest> sent = hapax.runs.requests(SignalRunRequest.class);
    assertThat(sent.get(0)).isEqualTo(sent.get(1));
    assertThat(sent.get(0).getSignal().getSignalId()).isNotEmpty();
    assertThat(runs.signal(runId, RunSignal.of("").withId("mine")))
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_BUFFERED);
  }

  @Test
  void movesARun() {
    String runId = runs.start(ORDER).getRun().getId();

    assertThat(runs.pause(runId, ControlOptions.because("maintenance")).run().getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_PAUSED);
    assertThat(runs.resume(runId, ControlOptions.because("done")).run().getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_RUNNING);
    hapax.runs.fail(runId, "OUT_OF_STOCK");
    hapax.faults.drop("retry", 1);
    assertThat(runs.retry(runId, ControlOptions.because("restocked")).run().getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_RUNNING);
    List<RetryRunRequest> sent = hapax.runs.requests(RetryRunRequest.class);
    assertThat(sent).hasSize(2);
    assertThat(sent.get(1).getRequestId()).isNotEmpty().isEqualTo(sent.get(0).getRequestId());
    assertThatThrownBy(
            () -> runs.cancel(runId, ControlOptions.because("old").withExpectedVersion(1)))
        .isInstanceOfSatisfying(
            HapaxException.Refused.class,
            refused ->
                assertThat(refused.reason()).isEqualTo(ErrorReason.ERROR_REASON_CONCURRENCY_ERROR));
    assertThat(runs.cancel(runId, ControlOptions.because("old")).run().getStatus())
        .isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    assertThat(runs.get(runId).getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
  }

  @Test
  void watchesAcrossBrokenStreams() throws Exception {
    Runs watcher = still.client().runs();
    String runId = watcher.start(ORDER).getRun().getId();
    List<Long> seen = new ArrayList<>();
    RunWatch watch = watcher.watch(runId, 0, event -> seen.add(event.getVersion()));
    still.runs.happens(1, 2);
    still.runs.watcher().onError(Status.UNAVAILABLE.asRuntimeException());

    still.timing.advance(Duration.ofSeconds(1));
    assertThat(still.runs.requests(WatchRunRequest.class).get(1).getAfterVersion()).isEqualTo(2);
    still.runs.happens(2, 3);
    still.runs.watcher().onCompleted();

    watch.ended().get(20, TimeUnit.SECONDS);
    assertThat(seen).containsExactly(1L, 2L, 3L);
  }

  @Test
  void aWatchEndsWhenItIsClosedOrRefusedOrItsListenerThrows() {
    Runs watcher = still.client().runs();
    String runId = watcher.start(ORDER).getRun().getId();
    List<RunEvent> seen = new ArrayList<>();
    RunWatch closed = watcher.watch(runId, 0, seen::add);
    closed.close();
    assertThat(closed.ended()).isCompleted();
    assertThat(seen).isEmpty();

    RunWatch refused = watcher.watch("run_no", 0, seen::add);
    assertThatThrownBy(refused.ended()::join).hasCauseInstanceOf(HapaxException.Refused.class);

    RunWatch broken =
        watcher.watch(
            runId,
            0,
            event -> {
              throw new IllegalStateException("enough");
            });
    still.runs.happens(1);
    assertThatThrownBy(broken.ended()::join).hasRootCauseMessage("enough");
  }
}
