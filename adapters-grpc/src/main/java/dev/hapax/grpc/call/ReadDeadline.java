package dev.hapax.grpc.call;

import com.google.rpc.Code;
import dev.hapax.v1.ErrorReason;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.CallStreamObserver;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The longest time that a stream waits for its client to read. */
public final class ReadDeadline {
  /** Longer than a pause of a healthy client, such as a garbage collection. */
  public static final Duration LONGEST = Duration.ofSeconds(30);

  private final CallStreamObserver<?> client;
  private final Duration longest;
  private final Runnable onMissed;

  // guarded by this
  private @Nullable CompletableFuture<Void> unread;

  /**
   * Makes a deadline that does not run.
   *
   * @param onMissed ends the stream, on any thread
   */
  public ReadDeadline(CallStreamObserver<?> client, Duration longest, Runnable onMissed) {
    this.client = client;
    this.longest = longest;
    this.onMissed = onMissed;
  }

  /** Starts the deadline unless the client reads; the future completes when it reads again. */
  public CompletableFuture<Void> await() {
    CompletableFuture<Void> waiting;
    synchronized (this) {
      if (unread == null) {
        unread = new CompletableFuture<>();
        var _ =
            unread
                .copy()
                .orTimeout(longest.toNanos(), TimeUnit.NANOSECONDS)
                .whenComplete((_, failure) -> ended(failure));
      }
      waiting = unread;
    }
    // it may have begun to read before the deadline was set
    if (client.isReady()) {
      cancel();
    }
    return waiting;
  }

  private void ended(@Nullable Throwable failure) {
    if (failure != null && !client.isReady()) {
      onMissed.run();
    }
  }

  /** Stops the deadline: the client reads, or the stream has ended. */
  public void cancel() {
    CompletableFuture<Void> read;
    synchronized (this) {
      read = unread;
      unread = null;
    }
    if (read != null) {
      read.complete(null);
    }
  }

  /** The status of a stream whose client missed its deadline. */
  public StatusRuntimeException missed() {
    return GrpcErrors.error(
        Code.RESOURCE_EXHAUSTED,
        ErrorReason.ERROR_REASON_STREAM_STALLED,
        String.format(
            Locale.ROOT,
            "the client read nothing from the stream for %d s; open another stream, and read it",
            longest.toSeconds()),
        Map.of());
  }
}
