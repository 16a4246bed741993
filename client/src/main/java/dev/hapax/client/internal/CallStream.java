package dev.hapax.client.internal;

import dev.hapax.v1.Error;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A stream that multiplexes calls. Calls that are pending at the same time share a message, and
 * backpressure from Hapax stops sending.
 */
public final class CallStream<M, N> {

  private static final Duration TICK = Duration.ofSeconds(1);

  /** Less than the server's limit: a stream at its end reads no calls while one is unanswered. */
  private static final Duration LIFE = Duration.ofMinutes(8);

  private final Timing timing;
  private final StreamProtocol<M, N> protocol;
  private final BiConsumer<CallStream<M, N>, Status> onEnd;
  private final boolean endsWhenIdle;
  private final ClientCall<M, N> stream;
  private final long openedAt;
  private final Duration firstMessageTimeout;
  private final UnansweredCalls calls = new UnansweredCalls();
  private volatile boolean hasReceived;
  private volatile long lastReceivedAt;

  // guarded by this
  private Timing.@Nullable Timer timer;
  private long armedFor;
  private long lastBusyAt;
  private boolean first = true;

  /** Also true until the stream is started: nothing can be sent before. */
  private boolean writing = true;

  private boolean closing;
  private boolean ended;

  /**
   * Sends nothing yet.
   *
   * @param firstMessageTimeout how long to wait for the first message of Hapax
   * @param endsWhenIdle whether a stream without calls ends after a second or two
   * @param onEnd gets the status; afterwards the unanswered calls are sent as unary calls
   */
  public CallStream(
      Channel channel,
      Timing timing,
      StreamProtocol<M, N> protocol,
      Duration firstMessageTimeout,
      boolean endsWhenIdle,
      BiConsumer<CallStream<M, N>, Status> onEnd) {
    this.timing = timing;
    this.protocol = protocol;
    this.firstMessageTimeout = firstMessageTimeout;
    this.endsWhenIdle = endsWhenIdle;
    this.onEnd = onEnd;
    this.openedAt = timing.nanos();
    this.lastBusyAt = openedAt;
    this.lastReceivedAt = openedAt;
    // callbacks are short; slow work runs on timing.callbacks()
    this.stream =
        channel.newCall(protocol.method(), CallOptions.DEFAULT.withExecutor(Runnable::run));
  }

  public void open() {
    stream.start(new Receiver(), new Metadata());
    stream.request(2);
    synchronized (this) {
      arm(timing.nanos() + TICK.toNanos());
      writing = false;
    }
    flush();
  }

  /** Whether a message from Hapax has arrived. */
  public boolean hasReceived() {
    return hasReceived;
  }

  /** The time of the last message from Hapax. */
  public long lastReceivedAt() {
    return lastReceivedAt;
  }

  /** Sends a call; false if this stream accepts no more. */
  public boolean send(StreamedCall<?, ?> call) {
    int id;
    if (isExpired()) {
      halfClose();
    }
    synchronized (this) {
      if (ended || closing) {
        return false;
      }
      id = calls.add(call);
      arm(call.deadline());
    }
    var unused =
        call.answer()
            .whenComplete(
                (answer, error) -> {
                  if (error != null && calls.forget(id)) {
                    flush();
                  }
                });
    flush();
    return true;
  }

  private synchronized boolean isExpired() {
    return endsWhenIdle && !closing && timing.nanos() - openedAt - LIFE.toNanos() >= 0;
  }

  /** Sends pending calls asynchronously. */
  public void flush() {
    synchronized (this) {
      if (writing || ended) {
        return;
      }
      writing = true;
    }
    timing.callbacks().execute(this::write);
  }

  private void write() {
    try {
      while (beginWrite()) {
        stream.sendMessage(protocol.message(calls.takeUnsent(), calls.takeCancelled()));
      }
      if (beginHalfClose()) {
        stream.halfClose();
      }
    } catch (IllegalStateException cancelled) {
      // unanswered calls are sent again when the stream ends
    }
  }

  private synchronized boolean beginWrite() {
    boolean now =
        !ended && (first || ((calls.hasUnsent() || protocol.hasPending()) && stream.isReady()));
    first &= !now;
    writing = now;
    return now;
  }

  private synchronized boolean beginHalfClose() {
    boolean now = closing && !ended && !writing && !calls.hasUnsent();
    writing |= now;
    return now;
  }

  /** Ends the stream after its last response; it accepts no more calls. */
  public void halfClose() {
    synchronized (this) {
      closing = true;
    }
    flush();
  }

  /** Ends an unresponsive stream. */
  public void abandon() {
    // before cancel(), which would end it as CANCELLED
    ended(StreamFailures.NO_RESPONSE);
    stream.cancel(StreamFailures.NO_RESPONSE.getDescription(), null);
  }

  private void arm(long when) {
    if (ended || (timer != null && armedFor - when <= 0)) {
      return;
    }
    if (timer != null) {
      timer.cancel();
    }
    armedFor = when;
    timer = timing.after(Duration.ofNanos(Math.max(0, when - timing.nanos())), this::tick);
  }

  private void tick() {
    long now = timing.nanos();
    boolean unresponsive = !hasReceived && now - openedAt - firstMessageTimeout.toNanos() >= 0;
    long next = now + TICK.toNanos();
    List<StreamedCall<?, ?>> late = new ArrayList<>();
    List<StreamedCall<?, ?>> all = calls.all();
    for (StreamedCall<?, ?> call : all) {
      if (call.deadline() - now > 0) {
        next = Math.min(next, call.deadline());
      } else {
        late.add(call);
        unresponsive |= lastReceivedAt - call.sentAt() < 0;
      }
    }
    boolean idle;
    synchronized (this) {
      timer = null;
      lastBusyAt = all.isEmpty() ? lastBusyAt : now;
      idle = endsWhenIdle && now - lastBusyAt - TICK.toNanos() >= 0;
      arm(next);
    }
    late.forEach(StreamedCall::timedOut);
    if (unresponsive) {
      abandon();
    } else if (idle) {
      halfClose();
    }
  }

  private void ended(Status status) {
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      if (timer != null) {
        timer.cancel();
        timer = null;
      }
    }
    onEnd.accept(this, status);
    List<StreamedCall<?, ?>> unanswered = calls.takeAll();
    if (!unanswered.isEmpty()) {
      timing.callbacks().execute(() -> unanswered.forEach(call -> call.resend(timing.nanos())));
    }
  }

  private final class Receiver extends ClientCall.Listener<N> {
    @Override
    public void onReady() {
      flush();
    }

    @Override
    public void onMessage(N message) {
      lastReceivedAt = timing.nanos();
      hasReceived = true;
      protocol.received(message);
      Answered answers = new Answered();
      protocol.answers(message, answers);
      answers.dispatch();
      if (protocol.hasPending()) {
        flush();
      }
      stream.request(1);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      ended(status);
    }
  }

  /** The responses in one message. */
  private final class Answered implements StreamProtocol.Answers {
    private final long now = timing.nanos();
    private final List<Runnable> tasks = new ArrayList<>();

    @Override
    public void answered(int callId, Object response) {
      StreamedCall<?, ?> call = calls.answered(callId);
      if (call != null) {
        tasks.add(() -> call.answered(response, now));
      }
    }

    @Override
    public void rejected(int callId, Error error) {
      StreamedCall<?, ?> call = calls.answered(callId);
      if (call != null) {
        tasks.add(() -> call.rejected(error));
      }
    }

    /** Runs callbacks on other threads: they may be slow, and the next message must be read. */
    void dispatch() {
      if (!tasks.isEmpty()) {
        timing.callbacks().execute(() -> tasks.forEach(Runnable::run));
      }
    }
  }
}
