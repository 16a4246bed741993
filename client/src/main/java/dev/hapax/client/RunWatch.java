package dev.hapax.client;

import dev.hapax.client.internal.Backoff;
import dev.hapax.client.internal.Methods;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.WatchRunRequest;
import dev.hapax.v1.WatchRunResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A subscription to the events of a run, which reconnects broken streams. Thread-safe. */
public final class RunWatch implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(RunWatch.class);

  /** Reconnects a dead stream after this. */
  private static final Duration LONGEST_STREAM = Duration.ofMinutes(2);

  /** The pause before a watch that was open for longer goes on with a new key. */
  private static final Duration NEW_KEY = Duration.ofSeconds(2);

  private final Connection connection;
  private final Timing timing;
  private final WatchRunRequest request;
  private final Consumer<RunEvent> listener;
  private final CountDownLatch ended = new CountDownLatch(1);
  // responses, and what ends a stream, a pause or the watch
  private final BlockingQueue<Object> arrived = new LinkedBlockingQueue<>();
  private volatile boolean isClosed;
  private volatile @Nullable Throwable failure;
  private long version;

  RunWatch(Connection connection, String runId, long afterVersion, Consumer<RunEvent> listener) {
    this.connection = connection;
    this.timing = connection.calls().timing();
    this.request =
        WatchRunRequest.newBuilder().setWorkspace(connection.workspace()).setRunId(runId).build();
    this.version = afterVersion;
    this.listener = listener;
  }

  RunWatch open() {
    connection.executor().execute(Context.current().fork().wrap(this::run));
    return this;
  }

  /**
   * Waits until the run has ended and its events are delivered, or the watch is closed.
   *
   * @return false if {@code atMost} has passed before
   * @throws HapaxException.Refused for instance with RUN_NOT_FOUND; {@link
   *     HapaxException.Unauthenticated} if the key was revoked and not replaced
   * @throws RuntimeException what the listener threw
   */
  public boolean await(Duration atMost) {
    try {
      if (!ended.await(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
        return false;
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new HapaxException.Unavailable(interrupted);
    }
    Throwable thrown = failure;
    if (thrown instanceof Error error) {
      throw error;
    }
    if (thrown instanceof RuntimeException exception) {
      throw exception;
    }
    return true;
  }

  /** Stops the delivery of events, except for one in progress. Does not wait for it. */
  @Override
  public void close() {
    isClosed = true;
    arrived.add(this);
  }

  private void run() {
    try {
      watch();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      failure = new HapaxException.Unavailable(interrupted);
    } catch (Throwable thrown) {
      log.warn("the watch of run {} ends", request.getRunId(), thrown);
      failure = thrown;
    } finally {
      ended.countDown();
    }
  }

  private void watch() throws InterruptedException {
    int retries = 0;
    while (!isClosed) {
      long before = version;
      long openedAt = timing.nanos();
      StatusRuntimeException end = stream();
      Status.Code code = end.getStatus().getCode();
      if (isClosed || code == Status.Code.OK) {
        return;
      }
      retries = version > before ? 0 : retries;
      if (code != Status.Code.DEADLINE_EXCEEDED) {
        // Hapax accepted the key for a while, so that a new one may be in its place
        boolean isKeyReplaced =
            code == Status.Code.UNAUTHENTICATED && timing.nanos() - openedAt >= NEW_KEY.toNanos();
        Optional<Duration> pause =
            isKeyReplaced ? Optional.of(NEW_KEY) : Backoff.pause(end, retries++);
        log.debug("the watch of run {} broke", request.getRunId(), end);
        pause(pause.orElseThrow(() -> connection.calls().exception(end)), end);
      }
    }
  }

  private void pause(Duration pause, StatusRuntimeException end) throws InterruptedException {
    if (timing.isClosed()) {
      throw connection.calls().exception(end);
    }
    timing.after(pause, () -> arrived.add(this));
    arrived.take();
  }

  /** Delivers the events of a stream, and returns how it ended. */
  private StatusRuntimeException stream() throws InterruptedException {
    ClientCall<WatchRunRequest, WatchRunResponse> call =
        connection
            .calls()
            .channel()
            .newCall(
                Methods.of(request, WatchRunResponse.getDefaultInstance()),
                CallOptions.DEFAULT.withDeadlineAfter(
                    LONGEST_STREAM.toNanos(), TimeUnit.NANOSECONDS));
    try {
      call.start(new Receiver(), new Metadata());
      call.request(1);
      call.sendMessage(request.toBuilder().setAfterVersion(version).build());
      call.halfClose();
      while (true) {
        Object next = arrived.take();
        if (next instanceof WatchRunResponse response && !isClosed) {
          received(new RunEvent(response.getEvent()));
          call.request(1);
        } else {
          return next instanceof StatusRuntimeException end ? end : Status.OK.asRuntimeException();
        }
      }
    } finally {
      call.cancel("the watch was closed", null);
    }
  }

  private void received(RunEvent event) {
    if (event.version() > version) {
      listener.accept(event);
      version = event.version();
    }
  }

  private final class Receiver extends ClientCall.Listener<WatchRunResponse> {
    @Override
    public void onMessage(WatchRunResponse response) {
      arrived.add(response);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      arrived.add(status.asRuntimeException(trailers));
    }
  }
}
