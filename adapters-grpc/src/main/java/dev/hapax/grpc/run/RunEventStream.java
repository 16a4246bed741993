package dev.hapax.grpc.run;

import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.CancellableFutures;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.grpc.call.AnswerBudget;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.ReadDeadline;
import dev.hapax.v1.WatchRunResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Streams the events of one run to one caller. Reads the next events only when the caller has
 * received the last ones, and waits only while there is nothing to send. Events that the caller
 * leaves unread for longer than the budget counts them are dropped, and read again when it reads.
 */
final class RunEventStream {
  private static final Duration MAX_WAIT = Duration.ofMinutes(5);

  /** The most events of one read. */
  private static final int EVENTS_AT_ONCE = 50;

  /** The most that a read of events has: the bound of pages in the database. */
  static final int READ_BYTES = 4 << 20;

  /** The most that is kept for a caller that does not read; an event has one payload. */
  static final int UNSENT_BYTES = 256 << 10;

  /** Events, and the run as it was read after them. */
  private record Batch(Run run, List<RunEvent> events) {}

  private final Runs runs;
  private final RunId id;
  private final ServerCallStreamObserver<WatchRunResponse> caller;
  private final ReadDeadline deadline;
  private final AnswerBudget budget;

  // guarded by this
  private final Deque<WatchRunResponse> unsent = new ArrayDeque<>();
  private int unsentBytes;

  /** The version of the last event that was sent or is in {@link #unsent}. */
  private long version;

  /** The version of the run when it was last read. */
  private long newest;

  private boolean hasRunEnded;
  private boolean reading;
  private boolean closed;
  private CompletableFuture<?> read = new CompletableFuture<>();

  RunEventStream(
      Runs runs,
      RunId id,
      long after,
      ServerCallStreamObserver<WatchRunResponse> caller,
      Duration longestRead,
      AnswerBudget budget) {
    this.runs = runs;
    this.id = id;
    this.version = after;
    this.newest = after;
    this.caller = caller;
    this.deadline = new ReadDeadline(caller, longestRead, this::stalled);
    this.budget = budget;
  }

  void start() {
    caller.setOnReadyHandler(this::ready);
    caller.setOnCancelHandler(this::stop);
    synchronized (this) {
      reading = true;
    }
    var _ = follow(() -> runs.find(id), this::onRun);
  }

  /** The bytes of events that the caller has not been sent. */
  synchronized int unsentBytes() {
    return unsentBytes;
  }

  private void ready() {
    deadline.cancel();
    send();
  }

  private void stop() {
    deadline.cancel();
    synchronized (this) {
      closed = true;
      clearUnsent();
      read.cancel(false);
    }
  }

  /** Ends a stream that its client does not read. */
  private void stalled() {
    synchronized (this) {
      if (closed || !isBehind()) {
        return;
      }
      closed = true;
      clearUnsent();
    }
    caller.onError(deadline.missed());
  }

  private synchronized long version() {
    return version;
  }

  private void clearUnsent() {
    unsent.clear();
    unsentBytes = 0;
  }

  /** Whether there are events that the caller has not been sent. */
  private synchronized boolean isBehind() {
    return version < newest || !unsent.isEmpty();
  }

  /** Sends as much as the caller reads; reads more when everything is sent. */
  private void send() {
    synchronized (this) {
      if (closed) {
        return;
      }
      flush();
      if (reading) {
        return;
      }
      if (isBehind() && !(unsent.isEmpty() && caller.isReady())) {
        var _ = budget.count(unsentBytes, deadline.await()).thenRun(this::drop);
        return;
      }
      if (hasRunEnded && !isBehind()) {
        closed = true;
        caller.onCompleted();
        return;
      }
      reading = true;
    }
    readNext();
  }

  private void flush() {
    while (!unsent.isEmpty() && caller.isReady()) {
      var message = unsent.remove();
      unsentBytes -= message.getSerializedSize();
      caller.onNext(message);
    }
  }

  /** Forgets what the caller left unread; it is read again when the caller reads. */
  private synchronized void drop() {
    if (!unsent.isEmpty() && !caller.isReady()) {
      version = unsent.element().getEvent().getVersion() - 1;
      clearUnsent();
    }
  }

  private void readNext() {
    if (!isBehind()) {
      var _ = follow(() -> runs.await(id, version(), MAX_WAIT), this::onRun);
    } else if (budget.proceed(this::readEvents)) {
      readEvents();
    }
  }

  /** Reads events, which the budget counts until what is left of them has its own count. */
  private void readEvents() {
    var held = new CompletableFuture<Void>();
    var _ = budget.count(READ_BYTES, held);
    var _ = follow(this::events, this::onEvents).whenComplete((_, _) -> held.complete(null));
  }

  private CompletableFuture<Batch> events() {
    return CancellableFutures.then(
        runs.events(id, version(), EVENTS_AT_ONCE),
        page ->
            runs.find(id)
                .thenApply(found -> new Batch(RunErrors.required(id, found), page.items())));
  }

  /** Begins a read, unless the stream has ended; the future completes when it was handled. */
  private <T> CompletableFuture<?> follow(
      Supplier<CompletableFuture<T>> begin, Consumer<T> onRead) {
    CompletableFuture<T> next;
    synchronized (this) {
      if (closed) {
        return CompletableFuture.completedFuture(null);
      }
      next = begun(begin);
      read = next;
    }
    return next.whenComplete((found, failure) -> onRead(found, failure, onRead));
  }

  private static <T> CompletableFuture<T> begun(Supplier<CompletableFuture<T>> begin) {
    try {
      return begin.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private <T> void onRead(@Nullable T found, @Nullable Throwable failure, Consumer<T> onRead) {
    synchronized (this) {
      reading = false;
      if (closed) {
        return;
      }
      try {
        if (failure != null || found == null) {
          throw GrpcErrors.of(
              failure == null
                  ? new IllegalStateException("the read completed without a result")
                  : failure);
        }
        onRead.accept(found);
      } catch (RuntimeException e) {
        closed = true;
        clearUnsent();
        caller.onError(GrpcErrors.of(e));
        return;
      }
    }
    send();
  }

  private void onRun(Optional<Run> found) {
    update(RunErrors.required(id, found));
    if (!isBehind() && !hasRunEnded && runs.hasStoppedWaiting()) {
      throw new LedgerException.Unavailable("the server is stopping");
    }
  }

  private void onEvents(Batch batch) {
    if (batch.events().isEmpty()) {
      version = Math.max(version, newest);
    }
    update(batch.run());
    var encoding = new EventEncoding(batch.run());
    for (var event : batch.events()) {
      var message = WatchRunResponse.newBuilder().setEvent(encoding.event(event)).build();
      var bytes = message.getSerializedSize();
      if (unsentBytes + bytes > UNSENT_BYTES && !(unsent.isEmpty() && caller.isReady())) {
        return;
      }
      unsent.add(message);
      unsentBytes += bytes;
      version = event.version();
      flush();
    }
  }

  private void update(Run run) {
    newest = run.version();
    hasRunEnded = run.hasEnded();
  }
}
