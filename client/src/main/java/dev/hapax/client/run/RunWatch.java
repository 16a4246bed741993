package dev.hapax.client.run;

import dev.hapax.client.HapaxException;
import dev.hapax.client.internal.Backoff;
import dev.hapax.client.internal.SerialExecutor;
import dev.hapax.client.internal.Timing;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.RunRpcs;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.WatchRunRequest;
import dev.hapax.v1.WatchRunResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subscription to the events of a run, which reconnects broken streams. Safe to use from any
 * thread.
 */
public final class RunWatch implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(RunWatch.class);

  /** Reconnects a dead stream after this. */
  private static final Duration LONGEST_STREAM = Duration.ofMinutes(2);

  /** The pause before a watch that was open for longer goes on with a new key. */
  private static final Duration NEW_KEY = Duration.ofSeconds(2);

  private final Channel channel;
  private final Timing timing;
  private final WatchRunRequest request;
  private final Consumer<RunEvent> listener;
  private final SerialExecutor serial;
  private final Context context = Context.current().fork();
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
  private long version;
  private int retries;
  private long openedAt;
  private @Nullable ClientCallStreamObserver<WatchRunRequest> stream;

  RunWatch(
      Channel channel,
      Timing timing,
      String workspace,
      String runId,
      long afterVersion,
      Consumer<RunEvent> listener) {
    this.channel = channel;
    this.timing = timing;
    this.request = WatchRunRequest.newBuilder().setWorkspace(workspace).setRunId(runId).build();
    this.version = afterVersion;
    this.listener = listener;
    this.serial = new SerialExecutor(timing.callbacks());
  }

  RunWatch open() {
    context.run(() -> serial.execute(this::connect));
    return this;
  }

  /**
   * Done when the run has ended and its events are delivered, or the watch is closed. Fails with
   * {@link HapaxException.Refused}, for instance RUN_NOT_FOUND, with {@link
   * HapaxException.Unauthenticated} if the key was revoked and not replaced, or with the exception
   * of the listener.
   */
  public CompletableFuture<@Nullable Void> ended() {
    return ended.copy();
  }

  /** Stops the delivery of events, except for one in progress. */
  @Override
  public void close() {
    ended.complete(null);
    serial.execute(this::disconnect);
  }

  // everything below runs on the serial executor

  private void connect() {
    if (ended.isDone()) {
      return;
    }
    CallOptions options =
        CallOptions.DEFAULT.withDeadlineAfter(LONGEST_STREAM.toNanos(), TimeUnit.NANOSECONDS);
    Receiver receiver = new Receiver();
    openedAt = timing.nanos();
    context.run(
        () -> {
          try {
            ClientCalls.asyncServerStreamingCall(
                channel.newCall(RunRpcs.WATCH_RUN, options),
                request.toBuilder().setAfterVersion(version).build(),
                receiver);
          } catch (RuntimeException error) {
            broken(error);
          }
        });
  }

  private void disconnect() {
    var open = stream;
    if (open != null) {
      open.cancel("the watch was closed", null);
    }
  }

  private void received(RunEvent event) {
    if (ended.isDone() || event.getVersion() <= version) {
      return;
    }
    try {
      listener.accept(event);
    } catch (RuntimeException thrown) {
      ended.completeExceptionally(thrown);
      disconnect();
      return;
    }
    version = event.getVersion();
    retries = 0;
  }

  private void broken(Throwable error) {
    stream = null;
    if (ended.isDone()) {
      return;
    }
    var status = UnaryCalls.statusOf(error);
    if (status.getStatus().getCode() == Status.Code.DEADLINE_EXCEEDED) {
      connect();
      return;
    }
    var pause = isKeyReplaced(status) ? Optional.of(NEW_KEY) : Backoff.pause(status, retries++);
    if (pause.isEmpty()) {
      ended.completeExceptionally(UnaryCalls.toException(status));
      return;
    }
    log.debug("the watch of {} broke, reconnecting", request.getRunId(), error);
    timing.after(pause.get(), () -> serial.execute(this::connect));
  }

  /** Whether Hapax accepted the key for a while, so that a new one may be in its place. */
  private boolean isKeyReplaced(StatusRuntimeException error) {
    return error.getStatus().getCode() == Status.Code.UNAUTHENTICATED
        && timing.nanos() - openedAt >= NEW_KEY.toNanos();
  }

  private final class Receiver
      implements ClientResponseObserver<WatchRunRequest, WatchRunResponse> {
    private @Nullable ClientCallStreamObserver<WatchRunRequest> calling;

    @Override
    public void beforeStart(ClientCallStreamObserver<WatchRunRequest> opened) {
      calling = opened;
      stream = opened;
      opened.disableAutoRequestWithInitial(1);
    }

    @Override
    public void onNext(WatchRunResponse response) {
      serial.execute(
          () -> {
            received(response.getEvent());
            if (calling != null) {
              calling.request(1);
            }
          });
    }

    @Override
    public void onError(Throwable error) {
      serial.execute(() -> broken(error));
    }

    @Override
    public void onCompleted() {
      serial.execute(() -> ended.complete(null));
    }
  }
}
