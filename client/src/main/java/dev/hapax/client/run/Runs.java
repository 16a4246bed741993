package dev.hapax.client.run;

import dev.hapax.client.ControlOptions;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.RunSignal;
import dev.hapax.client.internal.CallRoute;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.DetectedTraces;
import dev.hapax.client.internal.DrawnIds;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.StreamedCalls;
import dev.hapax.client.internal.Timing;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.RunRpcs;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Starts, awaits and controls runs. Thread-safe. A stream is open while runs are started, and a
 * second or two longer.
 *
 * <pre>{@code
 * Runs runs = hapax.runs();
 * Run run =
 *     runs.start(RunRequest.of("order").withKey(orderId).withInput(PayloadCodec.json(), order)).getRun();
 * String receipt = runs.result(run.getId(), PayloadCodec.json(), Duration.ofMinutes(5));
 * }</pre>
 *
 * <p>See {@link HapaxClient} for exceptions and retries. Keys that the caller leaves empty are
 * random. {@link #pause} and {@link #resume} have no key: repeated after a lost response, they may
 * undo another operator's change in between, unless there is an {@link
 * ControlOptions#expectedVersion}.
 *
 * <p>Futures fail with the same exceptions as methods that block. Cancelling a future cancels its
 * call, not the run.
 */
public final class Runs {

  private static final Duration DRAWN_KEY_RETENTION = Duration.ofHours(1);

  private final RetryingCalls transport;
  private final UnaryCalls calls;
  private final Timing timing;
  private final String workspace;
  private final String actor;

  /** Internal; see {@link HapaxClient#runs}. */
  public Runs(ClientConnection connection) {
    this.transport =
        connection.calls(connection.options().streams() ? starts(connection) : CallRoute.NONE);
    this.calls = connection.unaryCalls(transport);
    this.timing = connection.timing();
    this.workspace = connection.options().workspace();
    this.actor = connection.options().actor();
  }

  private Runs(Runs original, String actor) {
    this.transport = original.transport;
    this.calls = original.calls;
    this.timing = original.timing;
    this.workspace = original.workspace;
    this.actor = actor;
  }

  private static CallRoute starts(ClientConnection connection) {
    return new StreamedCalls<>(
        connection.channel(),
        connection.timing(),
        connection.options().tryTimeout(),
        new StartRunCalls(),
        Set.of(StartRunRequest.class));
  }

  /** Returns a copy for another actor: the name in histories, at most 255 characters. */
  public Runs as(String actor) {
    return new Runs(this, KeyText.check("actor", actor));
  }

  /**
   * Starts a run, or returns the run of the same key: then {@code getCreated()} is false. The steps
   * of the run belong to the current span of OpenTelemetry, if there is one.
   */
  public StartRunResponse start(RunRequest request) {
    return UnaryCalls.await(started(request));
  }

  /** As {@link #start}, without blocking a thread. */
  public CompletableFuture<StartRunResponse> startAsync(RunRequest request) {
    return transport.detached(started(request));
  }

  private CompletableFuture<StartRunResponse> started(RunRequest request) {
    StartRunRequest.Builder start =
        request.toProto().toBuilder().setWorkspace(workspace).setActor(actor);
    if (start.getIdempotencyKey().isEmpty()) {
      start.setIdempotencyKey(UUID.randomUUID().toString());
      if (!start.hasKeyRetention()) {
        start.setKeyRetention(ProtoTimes.toProto(DRAWN_KEY_RETENTION));
      }
    }
    if (start.hasSignal()) {
      start.setSignal(DrawnIds.withId(start.getSignal()));
    }
    start.setTraceparent(DetectedTraces.INSTANCE.current());
    return calls.send(RunRpcs.START_RUN, start.build());
  }

  /** Returns the current run. */
  public Run get(String runId) {
    GetRunRequest request =
        GetRunRequest.newBuilder().setWorkspace(workspace).setRunId(runId).build();
    return UnaryCalls.await(calls.send(RunRpcs.GET_RUN, request).thenApply(GetRunResponse::getRun));
  }

  /**
   * Waits until the run has ended or {@code atMost} has passed, and returns the run: its status
   * shows which. Retries while Hapax is unreachable.
   */
  public Run await(String runId, Duration atMost) {
    return UnaryCalls.await(awaitAsync(runId, atMost));
  }

  /** As {@link #await(String, Duration)}, without blocking a thread. */
  public CompletableFuture<Run> awaitAsync(String runId, Duration atMost) {
    return await(AwaitRunRequest.newBuilder().setRunId(runId), atMost);
  }

  /** As {@link #await(String, Duration)}, for the current run of this key. */
  public Run awaitKey(String idempotencyKey, Duration atMost) {
    return UnaryCalls.await(
        await(AwaitRunRequest.newBuilder().setIdempotencyKey(idempotencyKey), atMost));
  }

  /** As {@link #await(String, Duration)}, for the current owner of this token. */
  public Run awaitToken(String token, Duration atMost) {
    return UnaryCalls.await(await(AwaitRunRequest.newBuilder().setToken(token), atMost));
  }

  /**
   * Waits until the run has a higher version than this one or has ended, or {@code atMost} has
   * passed, and returns the run.
   *
   * @param afterVersion 1 or more
   */
  public Run awaitChange(String runId, long afterVersion, Duration atMost) {
    if (afterVersion < 1) {
      throw new IllegalArgumentException(
          "afterVersion must be at least 1 (was " + afterVersion + ")");
    }
    return UnaryCalls.await(
        await(AwaitRunRequest.newBuilder().setRunId(runId).setAfterVersion(afterVersion), atMost));
  }

  private CompletableFuture<Run> await(AwaitRunRequest.Builder request, Duration atMost) {
    return new RunAwaiting(calls, timing, request.setWorkspace(workspace).build(), atMost).start();
  }

  /**
   * Waits until the run has ended, and returns the output of its last step.
   *
   * @throws RunFailedException if it ended as FAILED
   * @throws RunCancelledException if it ended as CANCELLED
   * @throws RunNotEndedException if it has not ended after {@code atMost}
   * @throws IllegalArgumentException if the codec cannot read the output
   */
  public <T extends @Nullable Object> T result(
      String runId, PayloadCodec<T> codec, Duration atMost) {
    Run run = await(runId, atMost);
    switch (run.getStatus()) {
      case RUN_STATUS_COMPLETED -> {
        return codec.decode(run.hasOutput() ? run.getOutput() : null);
      }
      case RUN_STATUS_FAILED -> throw new RunFailedException(run);
      case RUN_STATUS_CANCELLED -> throw new RunCancelledException(run);
      default -> throw new RunNotEndedException(run);
    }
  }

  /** Sends a signal to the run. It stays in the inbox until a step consumes it. */
  public SignalDisposition signal(String runId, RunSignal signal) {
    SignalRunRequest request =
        SignalRunRequest.newBuilder()
            .setWorkspace(workspace)
            .setRunId(runId)
            .setSignal(DrawnIds.withId(signal.toProto()))
            .setActor(actor)
            .build();
    return UnaryCalls.await(calls.send(RunRpcs.SIGNAL_RUN, request)).getDisposition();
  }

  /** Cancels the run. A cancelled run is returned unchanged. */
  public ControlledRun cancel(String runId, ControlOptions change) {
    return UnaryCalls.await(control(runId, change).cancel());
  }

  /** Pauses the run: none of its tasks are dispatched. */
  public ControlledRun pause(String runId, ControlOptions change) {
    return UnaryCalls.await(control(runId, change).pause());
  }

  /** Resumes a paused run. */
  public ControlledRun resume(String runId, ControlOptions change) {
    return UnaryCalls.await(control(runId, change).resume());
  }

  /** Continues a failed run at the step that failed, with a new set of attempts. */
  public ControlledRun retry(String runId, ControlOptions change) {
    return UnaryCalls.await(control(runId, change).retry());
  }

  private RunControl control(String runId, ControlOptions change) {
    return new RunControl(calls, workspace, actor, runId, change);
  }

  /**
   * Delivers every event after a version, first from the run's history and then as they happen,
   * each once and in order, on a thread of its own. Reconnects broken streams.
   *
   * @param afterVersion 0 = from the first event
   * @param listener gets the next event after it has returned; its exception ends the watch
   */
  public RunWatch watch(String runId, long afterVersion, Consumer<RunEvent> listener) {
    return new RunWatch(transport.channel(), timing, workspace, runId, afterVersion, listener)
        .open();
  }
}
