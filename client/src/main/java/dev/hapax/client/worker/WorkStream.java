package dev.hapax.client.worker;

import com.google.protobuf.MessageLite;
import dev.hapax.client.internal.CallRoute;
import dev.hapax.client.internal.CallStream;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.StreamFailures;
import dev.hapax.client.internal.StreamedCall;
import dev.hapax.client.internal.StreamedCalls;
import dev.hapax.client.internal.TaskSource;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.Task;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse;
import io.grpc.Context;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream of a worker, reconnected whenever it ends: it delivers tasks and carries calls. All
 * streams of a worker have one attempt id, so that tasks of a lost message are delivered again on
 * the next one.
 */
final class WorkStream implements TaskSource, CallRoute {

  private static final Logger log = LoggerFactory.getLogger(WorkStream.class);
  private static final Duration PING = Duration.ofSeconds(15);

  private final WorkerBuilder settings;
  private final Timing timing;
  private final String attemptId = UUID.randomUUID().toString();
  // without this, each stream would inherit the context of the previous one
  private final Context context = Context.current();
  private final CompletableFuture<@Nullable Void> stopped = new CompletableFuture<>();
  private final StreamFailures failures;
  private @Nullable InFlightTasks inFlight;
  private @Nullable TaskSource poller;
  private volatile String token = "";
  private volatile @Nullable Opened current;
  private volatile boolean polling;

  // guarded by this
  private boolean started;
  private boolean stopping;
  private boolean allReceived;
  private boolean closed;
  private int delivering;

  /** One stream and its messages. */
  private record Opened(CallStream<WorkRequest, WorkResponse> stream, WorkMessages messages) {}

  WorkStream(WorkerBuilder settings) {
    this.settings = settings;
    this.timing = settings.timing();
    this.failures = new StreamFailures(settings.channel().authority());
  }

  /**
   * Delivers to these tasks.
   *
   * @param poller the fallback for a server without streams
   */
  WorkStream serving(InFlightTasks inFlight, TaskSource poller) {
    this.inFlight = inFlight;
    this.poller = poller;
    return this;
  }

  private InFlightTasks inFlight() {
    return Objects.requireNonNull(inFlight);
  }

  private TaskSource poller() {
    return Objects.requireNonNull(poller);
  }

  @Override
  public void next() {
    Opened opened = current;
    if (polling) {
      poller().next();
    } else if (opened != null) {
      opened.stream().flush();
    } else if (isFirst()) {
      open();
    }
  }

  private synchronized boolean isFirst() {
    boolean first = !started;
    started = true;
    return first;
  }

  private void open() {
    Context callers = context.attach();
    try {
      WorkMessages messages =
          new WorkMessages(openMessage(), timing::nanos, this::freeSlots, this::received);
      CallStream<WorkRequest, WorkResponse> stream =
          new CallStream<>(
              settings.channel(), timing, messages, settings.tryTimeout(), false, this::ended);
      Opened opened = new Opened(stream, messages);
      synchronized (this) {
        if (closed) {
          return;
        }
        current = opened;
        if (stopping) {
          messages.stop();
        }
      }
      stream.open();
      timing.after(PING, () -> ping(opened, timing.nanos()));
    } catch (RuntimeException error) {
      current = null;
      lost(failures.ended(false, Status.fromThrowable(error)), Status.fromThrowable(error));
    } finally {
      context.detach(callers);
    }
  }

  private WorkRequest.Open openMessage() {
    return WorkRequest.Open.newBuilder()
        .setWorkspace(settings.workspace())
        .addAllQueues(settings.handlers().queues())
        .setWorkerId(settings.workerId())
        .setAttemptId(attemptId)
        .setResumeToken(token)
        .build();
  }

  private synchronized int freeSlots() {
    return inFlight().free() - delivering;
  }

  /** Leases count from a message of the worker, and only a response proves that it arrived. */
  private void ping(Opened opened, long pingAt) {
    Opened now = current;
    if (now != null && now.stream() == opened.stream()) {
      opened.messages().ping();
      opened.stream().flush();
      timing.after(PING, () -> checkPing(opened, pingAt));
    }
  }

  private void checkPing(Opened opened, long pingAt) {
    if (opened.stream().lastReceivedAt() - pingAt < 0) {
      opened.stream().abandon();
    } else {
      ping(opened, timing.nanos());
    }
  }

  /** Receives tasks. Dispatches them on another thread, since a handler may run in this one. */
  private void received(WorkResponse message) {
    failures.received();
    if (message.getTasksCount() > 0) {
      token = message.getResumeToken();
      long sentAt = message.getClock();
      RetryingCalls.Answer<WorkResponse> answer =
          new RetryingCalls.Answer<>(message, sentAt, timing.nanos() - sentAt);
      addDelivering(message.getTasksCount());
      timing.callbacks().execute(() -> dispatch(answer));
    }
    if (message.getStopped()) {
      noMoreTasks();
    }
  }

  private void dispatch(RetryingCalls.Answer<WorkResponse> answer) {
    for (Task task : answer.response().getTasksList()) {
      inFlight().take(task, answer);
      addDelivering(-1);
    }
  }

  private void addDelivering(int tasks) {
    synchronized (this) {
      delivering += tasks;
    }
    completeIfDone();
  }

  /** The last message has arrived. */
  private void noMoreTasks() {
    synchronized (this) {
      allReceived = true;
    }
    completeIfDone();
  }

  private void completeIfDone() {
    boolean done;
    synchronized (this) {
      done = allReceived && delivering == 0;
    }
    if (done) {
      stopped.complete(null);
    }
  }

  private void ended(CallStream<WorkRequest, WorkResponse> stream, Status status) {
    current = null;
    lost(failures.ended(stream.hasReceived(), status), status);
  }

  /** Reconnects even while stopping: tasks of a lost message are delivered on the next stream. */
  private void lost(Optional<Duration> pause, Status status) {
    if (isOver()) {
      noMoreTasks();
    } else if (pause.isPresent()) {
      timing.after(pause.get(), this::open);
    } else {
      log.info("streams do not get through, the worker falls back to polling: {}", status);
      poll();
    }
  }

  private synchronized boolean isOver() {
    return closed || allReceived;
  }

  private void poll() {
    boolean stop;
    synchronized (this) {
      polling = true;
      stop = stopping;
    }
    if (stop) {
      noMoreTasks();
    } else {
      poller().next();
    }
  }

  @Override
  public CompletableFuture<@Nullable Void> stop() {
    Opened opened;
    synchronized (this) {
      opened = current;
      if (stopping) {
        return polling ? poller().stop() : stopped;
      }
      stopping = true;
    }
    if (polling) {
      return poller().stop();
    }
    // do not wait longer for an unresponsive server
    timing.after(settings.tryTimeout(), this::noMoreTasks);
    if (opened != null) {
      opened.messages().stop();
      opened.stream().flush();
    }
    return stopped;
  }

  @Override
  public void close() {
    Opened opened;
    synchronized (this) {
      closed = true;
      opened = current;
    }
    if (opened != null) {
      opened.stream().halfClose();
    }
  }

  @Override
  public boolean carries(Object request) {
    Opened opened = current;
    return opened != null
        && opened.stream().hasReceived()
        && WorkMessages.REQUESTS.contains(request.getClass())
        && ((MessageLite) request).getSerializedSize() <= StreamedCalls.MAX_BYTES;
  }

  @Override
  public <Q, R> CompletableFuture<RetryingCalls.Answer<R>> send(
      RetryingCalls transport, MethodDescriptor<Q, R> method, Q request, Duration timeout) {
    StreamedCall<Q, R> call =
        new StreamedCall<>(transport, method, request, timing.nanos(), timeout);
    Opened opened = current;
    if (opened == null || !opened.stream().send(call)) {
      call.resend(timing.nanos());
    }
    return call.answer();
  }
}
