package dev.hapax.grpc.run;

import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.CancellableFutures;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.ReadDeadline;
import dev.hapax.v1.WatchRunResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Streams the events of one run to one caller. Reads the next events only when the caller has
 * received the last ones, and waits only while there is nothing to send.
 */
final class RunEventStream {
  private static final Duration MAX_WAIT = Duration.ofMinutes(5);

  /** Events, and the run as it was read after them. */
  private record Batch(Run run, List<RunEvent> events) {}

  private final Runs runs;
  private final RunId id;
  private final ServerCallStreamObserver<WatchRunResponse> caller;
  private final ReadDeadline deadline;

  // guarded by this
  private final Deque<WatchRunResponse> unsent = new ArrayDeque<>();
  private long version;
  private boolean reading = true;
  private boolean ended;
  private boolean closed;
  private CompletableFuture<Batch> read = new CompletableFuture<>();

  RunEventStream(
      Runs runs,
      RunId id,
      long after,
      ServerCallStreamObserver<WatchRunResponse> caller,
      Duration longestRead) {
    this.runs = runs;
    this.id = id;
    this.version = after;
    this.caller = caller;
    this.deadline = new ReadDeadline(caller, longestRead, this::stalled);
  }

  void start() {
    caller.setOnReadyHandler(this::ready);
    caller.setOnCancelHandler(this::stop);
    follow(runs.find(id).thenApply(found -> new Batch(RunErrors.required(found), List.of())));
  }

  private void follow(CompletableFuture<Batch> next) {
    synchronized (this) {
      read = next;
      if (closed) {
        next.cancel(false);
      }
    }
    var _ = next.whenComplete(this::onRead);
  }

  private void ready() {
    deadline.cancel();
    send();
  }

  private void stop() {
    deadline.cancel();
    synchronized (this) {
      closed = true;
      unsent.clear();
      read.cancel(false);
    }
  }

  /** Ends a stream that its client does not read, and frees what was read for it. */
  private void stalled() {
    synchronized (this) {
      if (closed || unsent.isEmpty()) {
        return;
      }
      closed = true;
      unsent.clear();
    }
    caller.onError(deadline.missed());
  }

  private void onRead(@Nullable Batch batch, @Nullable Throwable failure) {
    synchronized (this) {
      reading = false;
      if (closed) {
        return;
      }
      try {
        if (failure != null || batch == null) {
          throw GrpcErrors.of(
              failure == null
                  ? new IllegalStateException("the read completed without a result")
                  : failure);
        }
        add(batch);
      } catch (RuntimeException e) {
        closed = true;
        caller.onError(GrpcErrors.of(e));
        return;
      }
    }
    send();
  }

  private void add(Batch batch) {
    var encoding = new EventEncoding(batch.run());
    for (var event : batch.events()) {
      unsent.add(WatchRunResponse.newBuilder().setEvent(encoding.event(event)).build());
      version = event.version();
    }
    ended = batch.run().hasEnded() && batch.run().version() <= version;
    if (batch.events().isEmpty() && !ended && runs.hasStoppedWaiting()) {
      throw new LedgerException.Unavailable("the server is stopping");
    }
  }

  /** Sends as much as the caller reads; reads more when everything is sent. */
  private void send() {
    synchronized (this) {
      while (!closed && !unsent.isEmpty() && caller.isReady()) {
        caller.onNext(unsent.remove());
      }
      if (!closed && !unsent.isEmpty()) {
        var _ = deadline.await();
      }
      if (closed || reading || !unsent.isEmpty()) {
        return;
      }
      if (ended) {
        closed = true;
        caller.onCompleted();
        return;
      }
      reading = true;
    }
    follow(next());
  }

  private CompletableFuture<Batch> next() {
    try {
      return CancellableFutures.then(
          runs.watch(id, version, MAX_WAIT),
          events -> runs.find(id).thenApply(found -> new Batch(RunErrors.required(found), events)));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
