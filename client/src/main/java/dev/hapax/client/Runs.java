package dev.hapax.client;

import dev.hapax.client.internal.Pages;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.AwaitRunResponse;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.CancelRunResponse;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.ListRunsResponse;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.PauseRunResponse;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.ResumeRunResponse;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.RetryRunResponse;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.SignalRunResponse;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Starts, awaits and controls runs. Thread-safe.
 *
 * <pre>{@code
 * Run run = hapax.runs().start("order", options -> options.key(orderId).input(order)).run();
 * Receipt receipt = hapax.runs().result(run.id(), Receipt.class, Duration.ofMinutes(5));
 * }</pre>
 *
 * <p>See {@link Hapax} for exceptions and retries. Keys that the caller leaves empty are random.
 * {@link #pause} and {@link #resume} have no key: repeated after a lost answer, they may undo
 * another operator's change in between, unless there is a {@link Control#expectedVersion}.
 */
public final class Runs {

  private final Connection connection;

  Runs(Connection connection) {
    this.connection = connection;
  }

  /** Starts a run of the latest registered version of a definition, without input. */
  public Started start(String definition) {
    return start(definition, UnaryOperator.identity());
  }

  /**
   * Starts a run, or returns the run of the same key: then it is {@link Started.Existing}. The
   * steps of the run belong to the current span of OpenTelemetry, if there is one.
   *
   * @param definition its name, 1 to 255 characters
   */
  public Started start(String definition, UnaryOperator<StartOptions> options) {
    return start(options.apply(StartOptions.of(connection, definition)));
  }

  /**
   * Starts a run of a workflow, in its version, or returns the run of the same key.
   *
   * @param key names the start; empty = random, and a second call starts a second run
   */
  public <I extends @Nullable Object, O extends @Nullable Object> RunHandle<O> start(
      Workflow<I, O> workflow, String key, I input) {
    return start(workflow, key, input, UnaryOperator.identity());
  }

  /**
   * As {@link #start(Workflow, String, Object)}, with options. With a {@link StartOptions#hook},
   * the run may be one of another workflow, which has another result.
   */
  public <I extends @Nullable Object, O extends @Nullable Object> RunHandle<O> start(
      Workflow<I, O> workflow, String key, I input, UnaryOperator<StartOptions> options) {
    StartOptions start =
        StartOptions.of(connection, workflow.name())
            .version(workflow.version())
            .key(key)
            .input(workflow.inputCodec(), input);
    return new RunHandle<>(this, start(options.apply(start)), workflow.outputCodec());
  }

  private Started start(StartOptions options) {
    StartRunRequest request = options.message();
    return Started.of(
        connection
            .begin(
                request,
                StartRunResponse.getDefaultInstance(),
                ProtoTimes.toJava(request.getWait()))
            .message());
  }

  /**
   * Returns the run as it is.
   *
   * @throws HapaxException.Refused with RUN_NOT_FOUND
   */
  public Run get(String runId) {
    GetRunRequest request =
        GetRunRequest.newBuilder().setWorkspace(connection.workspace()).setRunId(runId).build();
    return new Run(connection.call(request, GetRunResponse.getDefaultInstance()).getRun());
  }

  /** Returns runs, newest first, loaded as the stream is read. */
  public Stream<Run> list(UnaryOperator<RunFilter> filter) {
    ListRunsRequest request = filter.apply(RunFilter.of(connection)).message();
    return Pages.all(
            token ->
                connection.call(
                    request.toBuilder().setPageSize(Pages.SIZE).setPageToken(token).build(),
                    ListRunsResponse.getDefaultInstance()),
            ListRunsResponse::getRunsList,
            ListRunsResponse::getNextPageToken)
        .map(Run::new);
  }

  /**
   * Waits until the run has ended or {@code atMost} has passed, and returns the run: its status
   * shows which. Retries while Hapax is unreachable.
   */
  public Run await(String runId, Duration atMost) {
    return await(AwaitRunRequest.newBuilder().setRunId(runId), atMost);
  }

  /** As {@link #await(String, Duration)}, for the current run of this key. */
  public Run awaitKey(String idempotencyKey, Duration atMost) {
    return await(AwaitRunRequest.newBuilder().setIdempotencyKey(idempotencyKey), atMost);
  }

  /** As {@link #await(String, Duration)}, for the current owner of this token. */
  public Run awaitToken(String token, Duration atMost) {
    return await(AwaitRunRequest.newBuilder().setToken(token), atMost);
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
    return await(
        AwaitRunRequest.newBuilder().setRunId(runId).setAfterVersion(afterVersion), atMost);
  }

  private Run await(AwaitRunRequest.Builder target, Duration atMost) {
    target.setWorkspace(connection.workspace());
    long after = target.getAfterVersion();
    return new LongPoll<>(
            wait -> target.setWait(ProtoTimes.toProto(wait)).build(),
            AwaitRunResponse.getDefaultInstance(),
            response -> {
              // by run id from now on: the key may lead to another run later
              target.setRunId(response.getRun().getId());
              return new Run(response.getRun());
            },
            run -> run.hasEnded() || (after > 0 && run.version() > after))
        .await(connection, atMost);
  }

  /** As {@link #result(String, Codec, Duration)}, for a value with a JSON. */
  public <T> T result(String runId, Class<T> type, Duration atMost) {
    return result(runId, Codec.json(type), atMost);
  }

  /**
   * Waits until the run has ended, and returns the output of its last step.
   *
   * @throws HapaxException.RunFailed if it ended as FAILED; {@link #retry} continues it
   * @throws HapaxException.RunCancelled if it ended as CANCELLED
   * @throws HapaxException.RunNotEnded if it has not ended after {@code atMost}
   * @throws HapaxException.Unreadable if the codec cannot read the output
   */
  public <T extends @Nullable Object> T result(String runId, Codec<T> codec, Duration atMost) {
    Run run = await(runId, atMost);
    return switch (run.status()) {
      case RUN_STATUS_COMPLETED -> output(run, codec);
      case RUN_STATUS_FAILED ->
          throw new HapaxException.RunFailed(run, new Failure(run.message().getFailure()));
      case RUN_STATUS_CANCELLED -> throw new HapaxException.RunCancelled(run);
      case RUN_STATUS_UNSPECIFIED,
          RUN_STATUS_PENDING,
          RUN_STATUS_RUNNING,
          RUN_STATUS_WAITING,
          RUN_STATUS_PAUSED,
          UNRECOGNIZED ->
          throw new HapaxException.RunNotEnded(run);
    };
  }

  /** The result of a run that a start returned; it is awaited unless it has completed. */
  <T extends @Nullable Object> T result(Started started, Codec<T> codec, Duration atMost) {
    Run run = started.run();
    return run.status() == RunStatus.RUN_STATUS_COMPLETED
        ? output(run, codec)
        : result(run.id(), codec, atMost);
  }

  private <T extends @Nullable Object> T output(Run run, Codec<T> codec) {
    try {
      return connection.read(codec, run.message().hasOutput() ? run.message().getOutput() : null);
    } catch (RuntimeException unreadable) {
      throw new HapaxException.Unreadable(unreadable);
    }
  }

  /**
   * Sends a signal to the run. It stays in the inbox of the run until a step consumes it.
   *
   * @param type selects the steps of the run that receive it, at most 255 characters; may be empty
   * @param payload a {@link Value}, or anything with a JSON; at most 256 KiB; null = none
   * @return UNRECOGNIZED if Hapax is newer than this client; the run has the signal then, too
   */
  public SignalDisposition signal(String runId, String type, @Nullable Object payload) {
    return signal(runId, SignalRequest.of(type).payload(payload));
  }

  /**
   * As {@link #signal(String, String, Object)}.
   *
   * @param signalId unique in the run, at most 255 characters: signals with the same id count once
   */
  public SignalDisposition signal(
      String runId, String type, @Nullable Object payload, String signalId) {
    return signal(runId, SignalRequest.of(type).payload(payload).id(signalId));
  }

  private SignalDisposition signal(String runId, SignalRequest signal) {
    SignalRunRequest request =
        SignalRunRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setRunId(runId)
            .setSignal(signal.message(connection))
            .setActor(connection.actor())
            .build();
    return connection.call(request, SignalRunResponse.getDefaultInstance()).getDisposition();
  }

  /** As {@link #cancel(String, Control)}. */
  public Controlled cancel(String runId, String reason) {
    return cancel(runId, Control.because(reason));
  }

  /** Cancels the run, and returns it. A cancelled run is returned unchanged. */
  public Controlled cancel(String runId, Control control) {
    CancelRunRequest request =
        CancelRunRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setRunId(runId)
            .setReason(control.reason())
            .setExpectedVersion(control.expectedVersion())
            .setActor(connection.actor())
            .build();
    CancelRunResponse response = connection.call(request, CancelRunResponse.getDefaultInstance());
    return new Controlled(new Run(response.getRun()), response.getAlready());
  }

  /** As {@link #pause(String, Control)}. */
  public Controlled pause(String runId, String reason) {
    return pause(runId, Control.because(reason));
  }

  /** Pauses the run, and returns it: none of its tasks are dispatched. */
  public Controlled pause(String runId, Control control) {
    PauseRunRequest request =
        PauseRunRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setRunId(runId)
            .setReason(control.reason())
            .setExpectedVersion(control.expectedVersion())
            .setActor(connection.actor())
            .build();
    PauseRunResponse response = connection.call(request, PauseRunResponse.getDefaultInstance());
    return new Controlled(new Run(response.getRun()), response.getAlready());
  }

  /** As {@link #resume(String, Control)}. */
  public Controlled resume(String runId, String reason) {
    return resume(runId, Control.because(reason));
  }

  /** Resumes a paused run, and returns it. */
  public Controlled resume(String runId, Control control) {
    ResumeRunRequest request =
        ResumeRunRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setRunId(runId)
            .setReason(control.reason())
            .setExpectedVersion(control.expectedVersion())
            .setActor(connection.actor())
            .build();
    ResumeRunResponse response = connection.call(request, ResumeRunResponse.getDefaultInstance());
    return new Controlled(new Run(response.getRun()), response.getAlready());
  }

  /** As {@link #retry(String, Control)}. */
  public Controlled retry(String runId, String reason) {
    return retry(runId, Control.because(reason));
  }

  /**
   * Continues a failed run at the step that failed, with a new set of attempts, and returns it.
   * Calls with the same {@link Control#requestId} do so once.
   */
  public Controlled retry(String runId, Control control) {
    RetryRunRequest request =
        RetryRunRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setRunId(runId)
            .setReason(control.reason())
            .setExpectedVersion(control.expectedVersion())
            .setActor(connection.actor())
            .setRequestId(control.requestId())
            .build();
    RetryRunResponse response = connection.call(request, RetryRunResponse.getDefaultInstance());
    return new Controlled(new Run(response.getRun()), response.getAlready());
  }

  /**
   * Delivers every event after a version, first from the run's history and then as they happen,
   * each once and in order. Reconnects broken streams.
   *
   * @param afterVersion 0 = from the first event
   * @param listener is called on a thread of {@link Hapax.Builder#executor}, which the watch keeps
   *     until it ends; what it throws ends the watch
   */
  public RunWatch watch(String runId, long afterVersion, Consumer<RunEvent> listener) {
    return new RunWatch(connection, runId, afterVersion, listener).open();
  }
}
