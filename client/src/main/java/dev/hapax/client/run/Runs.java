package dev.hapax.client.run;

import dev.hapax.client.Codec;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.HapaxException;
import dev.hapax.client.RunControlOptions;
import dev.hapax.client.RunSignal;
import dev.hapax.client.internal.CallRoute;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.DrawnIds;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.StreamedCalls;
import dev.hapax.client.internal.Timing;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunServiceGrpc;
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
 * Starts runs, follows them and moves them. Thread-safe; one per process is enough. It owns no
 * channel and no thread of its own and need not be closed; a stream is open while runs are started,
 * and a second or two longer.
 *
 * <pre>{@code
 * Runs runs = hapax.runs();
 * Run run =
 *     runs.start(RunRequest.of("order").withKey(orderId).withInput(Codec.json(), order)).getRun();
 * String receipt = runs.result(run.getId(), Codec.json(), Duration.ofMinutes(5));
 * }</pre>
 *
 * <p>Every call carries its key, drawn where the caller gave none, and is sent again after a lost
 * answer, with growing pauses of 100 ms to 2 s. {@link #pause} and {@link #resume} have no key but
 * the state they lead to: sent again after a lost answer, they undo what somebody did in between,
 * unless there is an {@link RunControlOptions#expectedVersion}.
 *
 * <p>Methods that block throw {@link HapaxException.Unavailable} if Hapax cannot be reached in time
 * or the thread is interrupted, and {@link HapaxException.Refused} if Hapax refuses, for instance
 * with RUN_NOT_FOUND. Futures fail with the same; to cancel one is to cancel its call, not the run.
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

  /** The same for another actor: who does it, for the history. At most 255 characters. */
  public Runs as(String actor) {
    return new Runs(this, KeyText.check("actor", actor));
  }

  /**
   * Starts a run, or finds the one that was started with the same key: {@code getCreated()} tells
   * which.
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
    return calls.send(RunServiceGrpc.getStartRunMethod(), start.build());
  }

  /** The run as it is. */
  public Run get(String runId) {
    GetRunRequest request =
        GetRunRequest.newBuilder().setWorkspace(workspace).setRunId(runId).build();
    return UnaryCalls.await(
        calls.send(RunServiceGrpc.getGetRunMethod(), request).thenApply(GetRunResponse::getRun));
  }

  /**
   * Waits until the run has ended, but not longer than {@code atMost}, and returns it as it is
   * then: its status says whether it has ended. Hapax may be away meanwhile.
   */
  public Run await(String runId, Duration atMost) {
    return UnaryCalls.await(awaitAsync(runId, atMost));
  }

  /** As {@link #await(String, Duration)}, without blocking a thread. */
  public CompletableFuture<Run> awaitAsync(String runId, Duration atMost) {
    return await(AwaitRunRequest.newBuilder().setRunId(runId), atMost);
  }

  /** As {@link #await(String, Duration)}, for the run that this key leads to now. */
  public Run awaitKey(String idempotencyKey, Duration atMost) {
    return UnaryCalls.await(
        await(AwaitRunRequest.newBuilder().setIdempotencyKey(idempotencyKey), atMost));
  }

  /** As {@link #await(String, Duration)}, for the run that owns this token now. */
  public Run awaitToken(String token, Duration atMost) {
    return UnaryCalls.await(await(AwaitRunRequest.newBuilder().setToken(token), atMost));
  }

  /**
   * Waits until the run has a higher version than this one or has ended, but not longer than {@code
   * atMost}, and returns it as it is then.
   *
   * @param afterVersion 1 or more
   */
  public Run awaitChange(String runId, long afterVersion, Duration atMost) {
    if (afterVersion < 1) {
      throw new IllegalArgumentException("afterVersion is less than 1");
    }
    return UnaryCalls.await(
        await(AwaitRunRequest.newBuilder().setRunId(runId).setAfterVersion(afterVersion), atMost));
  }

  private CompletableFuture<Run> await(AwaitRunRequest.Builder request, Duration atMost) {
    return new RunAwaiting(calls, timing, request.setWorkspace(workspace).build(), atMost).start();
  }

  /**
   * Waits until the run has ended, and returns what its last step answered.
   *
   * @throws RunFailedException if it ended as FAILED
   * @throws RunCancelledException if it ended as CANCELLED
   * @throws RunNotEndedException if it has not ended after {@code atMost}
   * @throws IllegalArgumentException if the codec cannot read the output
   */
  public <T extends @Nullable Object> T result(String runId, Codec<T> codec, Duration atMost) {
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

  /** Puts a signal into the run's inbox, where it stays until a step consumes it. */
  public SignalDisposition signal(String runId, RunSignal signal) {
    SignalRunRequest request =
        SignalRunRequest.newBuilder()
            .setWorkspace(workspace)
            .setRunId(runId)
            .setSignal(DrawnIds.withId(signal.toProto()))
            .setActor(actor)
            .build();
    return UnaryCalls.await(calls.send(RunServiceGrpc.getSignalRunMethod(), request))
        .getDisposition();
  }

  /** Ends the run as CANCELLED. One that is so already is returned unchanged. */
  public Run cancel(String runId, RunControlOptions change) {
    return UnaryCalls.await(control(runId, change).cancel());
  }

  /** Holds the run: nothing more of it is handed out. */
  public Run pause(String runId, RunControlOptions change) {
    return UnaryCalls.await(control(runId, change).pause());
  }

  /** Lets a paused run go on. */
  public Run resume(String runId, RunControlOptions change) {
    return UnaryCalls.await(control(runId, change).resume());
  }

  /** Lets a failed run go on with the step that failed, with its attempts granted anew. */
  public Run retry(String runId, RunControlOptions change) {
    return UnaryCalls.await(control(runId, change).retry());
  }

  private RunControl control(String runId, RunControlOptions change) {
    return new RunControl(calls, workspace, actor, runId, change);
  }

  /**
   * Hands over every event after a version, from the run's history and then as they happen, each
   * once and in order, on a thread of its own. Streams that break are opened again.
   *
   * @param afterVersion 0 = from the beginning
   * @param listener the next event comes when it has returned; what it throws ends the watch
   */
  public RunWatch watch(String runId, long afterVersion, Consumer<RunEvent> listener) {
    return new RunWatch(transport.channel(), timing, workspace, runId, afterVersion, listener)
        .open();
  }
}
