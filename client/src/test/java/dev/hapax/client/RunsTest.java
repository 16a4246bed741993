package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.OnKeyMismatch;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.StartRunRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RunsTest {

  private static final Duration HOUR = Duration.ofHours(1);

  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private final FakeHapax<ManualTiming> still = FakeHapax.still();
  private final Hapax client = connect(hapax, options -> options);
  private final Runs runs = client.runs();
  private final Runs patient = connect(still, options -> options).runs();

  private static Hapax connect(FakeHapax<?> server, UnaryOperator<Hapax.Builder> change) {
    return change
        .apply(Hapax.builder().channel(server.channel).timing(server.timing).json(new FakeJson()))
        .connect();
  }

  @AfterEach
  void close() {
    client.close();
    hapax.close();
    still.close();
  }

  private String start(Runs in, String key) {
    return in.start("order", run -> run.key(key)).run().id();
  }

  /** Advances the clock by a slice when the next poll is held. */
  private void slices(int first, int last) {
    for (int slice = first; slice <= last; slice++) {
      held(slice);
      still.timing.advance(Duration.ofSeconds(20));
    }
  }

  private void held(int slice) {
    Conditions.until(
        () ->
            still.runs.requests(AwaitRunRequest.class).size() == slice
                && still.timing.pending() == 1);
  }

  private static <T> CompletableFuture<T> inBackground(Supplier<T> call) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                answer.complete(call.get());
              } catch (RuntimeException thrown) {
                answer.completeExceptionally(thrown);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return answer;
  }

  @Test
  @DisplayName("given all options, when a run is started, then the request has each of them")
  void options() {
    client
        .workspace("eu")
        .actor("alice")
        .runs()
        .start(
            "order",
            run ->
                run.key("o1")
                    .version("2")
                    .input(12)
                    .startAt(Instant.ofEpochSecond(2_000_000_000))
                    .label("shop", "berlin")
                    .labels(Map.of("size", "XL"))
                    .hook(
                        HookRequest.of("order/1")
                            .name("payment")
                            .retention(Duration.ofDays(1))
                            .supersede("run_0"))
                    .signal(SignalRequest.of("hello").id("s1").payload("world"))
                    .fingerprint(new byte[] {7})
                    .returnExisting()
                    .wait(Duration.ofSeconds(5))
                    .keyRetention(Duration.ofDays(3)));

    StartRunRequest sent = hapax.runs.requests(StartRunRequest.class).get(0);
    assertThat(sent.getWorkspace()).isEqualTo("eu");
    assertThat(sent.getActor()).isEqualTo("alice");
    assertThat(sent.getDefinition()).isEqualTo("order");
    assertThat(sent.getDefinitionVersion()).isEqualTo("2");
    assertThat(sent.getInput().getJson()).isEqualTo("12");
    assertThat(sent.getIdempotencyKey()).isEqualTo("o1");
    assertThat(sent.getStartAt().getSeconds()).isEqualTo(2_000_000_000);
    assertThat(sent.getLabelsMap()).isEqualTo(Map.of("shop", "berlin", "size", "XL"));
    assertThat(sent.getKeyRetention().getSeconds()).isEqualTo(3 * 86_400);
    assertThat(sent.getWait().getSeconds()).isEqualTo(5);
    assertThat(sent.getHooks(0).getToken()).isEqualTo("order/1");
    assertThat(sent.getHooks(0).getName()).isEqualTo("payment");
    assertThat(sent.getHooks(0).getRetention().getSeconds()).isEqualTo(86_400);
    assertThat(sent.getHooks(0).getExpectedOwner()).isEqualTo("run_0");
    assertThat(sent.getSignal().getSignalId()).isEqualTo("s1");
    assertThat(sent.getSignal().getPayload().getJson()).isEqualTo("\"world\"");
    assertThat(sent.getFingerprint().toByteArray()).containsExactly(7);
    assertThat(sent.getOnKeyMismatch()).isEqualTo(OnKeyMismatch.ON_KEY_MISMATCH_RETURN_EXISTING);

    runs.start("order", run -> run.key("o2").returnExisting().restartFailed());
    assertThat(hapax.runs.requests(StartRunRequest.class).get(1).getOnKeyMismatch())
        .isEqualTo(OnKeyMismatch.ON_KEY_MISMATCH_RESTART_FAILED);
  }

  @Test
  @DisplayName("given a Value as input, when a run is started, then it is sent as it is")
  void values() {
    runs.start("order", run -> run.input(new Value.Json("{\"n\": 1}")));
    runs.start("order", run -> run.input(new Value.Bytes(new byte[] {1, 2})));
    runs.start("order");

    List<StartRunRequest> sent = hapax.runs.requests(StartRunRequest.class);
    assertThat(sent.get(0).getInput().getJson()).isEqualTo("{\"n\": 1}");
    assertThat(sent.get(1).getInput().getBinary().toByteArray()).containsExactly(1, 2);
    assertThat(sent.get(2).hasInput()).isFalse();
  }

  @Test
  @DisplayName("given inputs out of bounds, when a start is described, then the field is named")
  void bounds() {
    String tooLong = "a".repeat(256);

    assertThatThrownBy(() -> runs.start("")).hasMessageContaining("definition");
    assertThatThrownBy(() -> runs.start(tooLong)).hasMessageContaining("definition");
    assertThatThrownBy(() -> runs.start("order", run -> run.key(tooLong)))
        .hasMessageContaining("idempotencyKey");
    assertThatThrownBy(() -> runs.start("order", run -> run.version("\n")))
        .hasMessageContaining("version");
    assertThatThrownBy(() -> runs.start("order", run -> run.keyRetention(Duration.ZERO)))
        .hasMessageContaining("keyRetention");
    assertThatThrownBy(() -> runs.start("order", run -> run.fingerprint(new byte[1025])))
        .hasMessageContaining("fingerprint");
    assertThatThrownBy(() -> runs.signal("run_1", tooLong, null)).hasMessageContaining("type");
    assertThatThrownBy(() -> runs.signal("run_1", "", null, tooLong))
        .hasMessageContaining("signalId");
    assertThatThrownBy(() -> HookRequest.of("")).hasMessageContaining("token");
    assertThatThrownBy(() -> runs.cancel("run_1", tooLong)).hasMessageContaining("reason");
    assertThatThrownBy(() -> runs.awaitChange("run_1", 0, HOUR))
        .hasMessageContaining("afterVersion");
    assertThat(hapax.runs.requests(Object.class)).isEmpty();
  }

  @Test
  @DisplayName("given a key, when it is used twice, then both starts return the same run")
  void sameKey() {
    Started first = runs.start("order", run -> run.key("o1"));
    Started second = runs.start("order", run -> run.key("o1"));

    assertThat(first).isInstanceOf(Started.Created.class);
    assertThat(second).isInstanceOf(Started.Existing.class);
    assertThat(second.run().id()).isEqualTo(first.run().id());
    assertThat(second.owner()).isEmpty();
  }

  @Test
  @DisplayName(
      "given a key with another input, when it is used again, then the error names its run")
  void reusedKey() {
    String runId = start(runs, "o1");

    assertThatThrownBy(() -> runs.start("order", run -> run.key("o1").input(1)))
        .isInstanceOfSatisfying(
            HapaxException.Refused.class,
            refused -> {
              assertThat(refused.reason())
                  .isEqualTo(ErrorReason.ERROR_REASON_IDEMPOTENCY_KEY_REUSED);
              assertThat(refused.metadata()).containsEntry("run_id", runId);
            });
  }

  @Test
  @DisplayName("given no key, when answers are lost, then one run is started, and a next call's")
  void drawnKeys() {
    hapax.faults.drop("start", 2);

    runs.start("order", run -> run.signal(SignalRequest.of("hello")));

    List<StartRunRequest> sent = hapax.runs.requests(StartRunRequest.class);
    assertThat(sent).hasSize(3).containsOnly(sent.get(0));
    assertThat(sent.get(0).getIdempotencyKey()).isNotEmpty();
    assertThat(sent.get(0).getSignal().getSignalId()).isNotEmpty();
    assertThat(sent.get(0).getKeyRetention().getSeconds()).isEqualTo(3600);
    assertThat(hapax.runs.count()).isEqualTo(1);
    runs.start("order");
    assertThat(hapax.runs.count()).as("another call has another key").isEqualTo(2);
  }

  @Test
  @DisplayName("given no server, when a start gives up, then it throws Unavailable")
  void unavailable() {
    hapax.faults.down(true);
    Hapax hasty = connect(hapax, options -> options.callTimeout(Duration.ofMillis(200)));

    assertThatThrownBy(() -> hasty.runs().start("order"))
        .isInstanceOf(HapaxException.Unavailable.class);
  }

  @Test
  @DisplayName("given a run that takes 2 minutes, then it is awaited in slices of 20 s")
  void slices() {
    String runId = start(patient, "o1");
    CompletableFuture<Run> ended = inBackground(() -> patient.await(runId, HOUR));

    slices(1, 6);
    held(7);
    assertThat(ended).isNotDone();
    still.runs.complete(runId, "1");

    assertThat(ended.join().status()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(still.runs.requests(AwaitRunRequest.class))
        .hasSize(7)
        .allSatisfy(slice -> assertThat(slice.getWait().getSeconds()).isEqualTo(20));
  }

  @Test
  @DisplayName("given an outage of 10 minutes, when a run is awaited, then the wait outlasts it")
  void outage() {
    String runId = start(patient, "o1");
    long recovery = still.timing.nanos() + Duration.ofMinutes(10).toNanos();
    PausedTiming timing =
        new PausedTiming(
            still.timing,
            () -> {
              if (still.timing.nanos() > recovery) {
                still.runs.complete(runId, "1");
                still.faults.down(false);
              }
            });
    still.faults.down(true);

    Run ended = connect(still, options -> options.timing(timing)).runs().await(runId, HOUR);

    assertThat(ended.status()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(still.timing.nanos()).isBetween(recovery, recovery + 2_000_000_000L);
  }

  @Test
  @DisplayName("given a run that does not end, when the time is over, then it is returned as it is")
  void timeIsOver() {
    String runId = start(patient, "o1");
    CompletableFuture<Run> ended = inBackground(() -> patient.await(runId, Duration.ofSeconds(50)));

    slices(1, 2);
    held(3);
    still.timing.advance(Duration.ofMillis(9_999));
    assertThat(ended).isNotDone();
    still.timing.advance(Duration.ofMillis(1));

    assertThat(ended.join().status()).isEqualTo(RunStatus.RUN_STATUS_PENDING);
    assertThat(still.runs.requests(AwaitRunRequest.class))
        .extracting(sent -> sent.getWait().getSeconds())
        .containsExactly(20L, 20L, 10L);
  }

  @Test
  @DisplayName("given a key, when its run is awaited in slices, then the second one names the run")
  void awaitKey() {
    String runId = start(patient, "o1");

    assertThat(patient.awaitKey("o1", Duration.ZERO).id()).isEqualTo(runId);
    CompletableFuture<Run> ended =
        inBackground(() -> patient.awaitKey("o1", Duration.ofSeconds(25)));
    slices(2, 2);
    held(3);
    still.runs.complete(runId, "1");

    assertThat(ended.join().id()).isEqualTo(runId);
    List<AwaitRunRequest> sent = still.runs.requests(AwaitRunRequest.class);
    assertThat(sent.get(1).getIdempotencyKey()).isEqualTo("o1");
    assertThat(sent.get(2).getRunId()).isEqualTo(runId);
  }

  @Test
  @DisplayName("given a run that moves, when its change is awaited, then the new version returns")
  void change() {
    String runId = start(runs, "o1");
    CompletableFuture<Run> moved = inBackground(() -> runs.awaitChange(runId, 1, HOUR));
    Conditions.until(() -> !hapax.runs.requests(AwaitRunRequest.class).isEmpty());

    hapax.runs.move(runId, RunStatus.RUN_STATUS_RUNNING);

    assertThat(moved.join().version()).isEqualTo(2);
  }

  @Test
  @DisplayName("given runs that ended in each way, then the result is the output or how it ended")
  void results() {
    String completed = start(runs, "a");
    String failed = start(runs, "b");
    String cancelled = start(runs, "c");
    String going = start(runs, "d");
    hapax.runs.complete(completed, "\"paid\"");
    hapax.runs.fail(failed, "CARD_DECLINED");
    hapax.runs.move(cancelled, RunStatus.RUN_STATUS_CANCELLED);

    assertThat(runs.result(completed, String.class, HOUR)).isEqualTo("paid");
    assertThat(runs.result(completed, Codec.jsonText(), HOUR)).isEqualTo("\"paid\"");
    assertThatThrownBy(() -> runs.result(completed, Codec.text(), HOUR))
        .isInstanceOf(HapaxException.Unreadable.class)
        .hasMessageContaining("the stored value is not binary");
    assertThatThrownBy(() -> runs.result(failed, String.class, HOUR))
        .isInstanceOfSatisfying(
            HapaxException.RunFailed.class,
            thrown -> {
              assertThat(thrown.failure().code()).isEqualTo("CARD_DECLINED");
              assertThat(thrown.run().id()).isEqualTo(failed);
            })
        .hasMessageContaining("charge");
    assertThatThrownBy(() -> runs.result(cancelled, String.class, HOUR))
        .isInstanceOf(HapaxException.RunCancelled.class);
    assertThatThrownBy(() -> runs.result(going, String.class, Duration.ZERO))
        .isInstanceOf(HapaxException.RunNotEnded.class);
  }

  @Test
  @DisplayName("given a signal whose answer is lost, then it is sent again with the same id")
  void signal() {
    String runId = start(runs, "o1");
    hapax.faults.drop("signal", 1);

    assertThat(runs.signal(runId, "approved", "by ann"))
        .as("the answer to the second")
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DUPLICATE);
    List<SignalRunRequest> sent = hapax.runs.requests(SignalRunRequest.class);
    assertThat(sent.get(0)).isEqualTo(sent.get(1));
    assertThat(sent.get(0).getSignal().getSignalId()).isNotEmpty();
    assertThat(sent.get(0).getSignal().getPayload().getJson()).isEqualTo("\"by ann\"");
    assertThat(runs.signal(runId, "", null, "mine"))
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_BUFFERED);
    SignalRunRequest second = hapax.runs.requests(SignalRunRequest.class).get(2);
    assertThat(second.getSignal().getSignalId()).isEqualTo("mine");
    assertThat(second.getSignal().hasPayload()).isFalse();
  }

  @Test
  @DisplayName("given a run, when an operator moves it, then each call returns it as it then is")
  void control() {
    String runId = start(runs, "o1");

    assertThat(runs.pause(runId, "maintenance").run().status())
        .isEqualTo(RunStatus.RUN_STATUS_PAUSED);
    assertThat(runs.resume(runId, "done").run().status()).isEqualTo(RunStatus.RUN_STATUS_RUNNING);
    hapax.runs.fail(runId, "OUT_OF_STOCK");
    hapax.faults.drop("retry", 1);
    assertThat(runs.retry(runId, "restocked").run().status())
        .isEqualTo(RunStatus.RUN_STATUS_RUNNING);
    List<RetryRunRequest> sent = hapax.runs.requests(RetryRunRequest.class);
    assertThat(sent).hasSize(2);
    assertThat(sent.get(0).getReason()).isEqualTo("restocked");
    assertThat(sent.get(1).getRequestId()).isNotEmpty().isEqualTo(sent.get(0).getRequestId());
    runs.retry(runId, Control.because("again").requestId("r1"));
    assertThat(hapax.runs.requests(RetryRunRequest.class).get(2).getRequestId()).isEqualTo("r1");
    assertThatThrownBy(() -> runs.cancel(runId, Control.because("old").expectedVersion(1)))
        .isInstanceOfSatisfying(
            HapaxException.Refused.class,
            refused ->
                assertThat(refused.reason()).isEqualTo(ErrorReason.ERROR_REASON_CONCURRENCY_ERROR));
    assertThat(runs.cancel(runId, "old").run().status()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    assertThat(runs.get(runId).hasEnded()).isTrue();
  }

  @Test
  @DisplayName("given a typed workflow, when it is started, then version, input and result are its")
  void workflow() {
    Workflow<Integer, String> workflow =
        Workflow.of("order", "orders", Integer.class, String.class, (task, input) -> "paid")
            .version("3");

    RunHandle<String> handle = runs.start(workflow, "o1", 42, run -> run.label("shop", "berlin"));
    hapax.runs.complete(handle.id(), "\"paid\"");

    assertThat(handle.result(HOUR)).isEqualTo("paid");
    assertThat(handle.started()).isInstanceOf(Started.Created.class);
    assertThat(handle.signal("late", null))
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_BUFFERED);
    StartRunRequest sent = hapax.runs.requests(StartRunRequest.class).get(0);
    assertThat(sent.getDefinitionVersion()).isEqualTo("3");
    assertThat(sent.getIdempotencyKey()).isEqualTo("o1");
    assertThat(sent.getInput().getJson()).isEqualTo("42");
    assertThat(sent.getLabelsMap()).containsEntry("shop", "berlin");
  }

  @Test
  @DisplayName("given a start that was answered with the end of its run, then no call awaits it")
  void answeredAtEnd() {
    Workflow<Integer, String> workflow =
        Workflow.of("order", "orders", Integer.class, String.class, (task, input) -> "paid");
    hapax.runs.complete(runs.start(workflow, "o1", 42).id(), "\"paid\"");

    RunHandle<String> handle =
        runs.start(workflow, "o1", 42, run -> run.wait(Duration.ofSeconds(30)));

    assertThat(handle.result(HOUR)).isEqualTo("paid");
    assertThat(hapax.runs.requests(AwaitRunRequest.class)).isEmpty();
  }
}
