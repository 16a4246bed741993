package dev.hapax.client;

import com.google.protobuf.Message;
import dev.hapax.client.internal.Timing;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One stream that carries many calls. Calls that are pending at the same time share a message, and
 * backpressure from Hapax stops sending. Calls without an answer are sent as unary calls when the
 * stream ends.
 */
final class Stream {

  /** The status of a stream that the client ended as unresponsive. */
  static final Status NO_RESPONSE =
      Status.UNAVAILABLE.withDescription("no message on the stream in time");

  private static final int MAX_CALLS = 1_000;
  private static final int MAX_BYTES = 256 << 10;
  private static final Duration TICK = Duration.ofSeconds(1);

  /** A stream stays with one server: the next one may go to another. */
  private static final int MAX_CALLS_OF_LIFE = 100;

  /** Less than the server's limit: a stream at its end reads no calls while one is unanswered. */
  private static final Duration LIFE = Duration.ofMinutes(8);

  private final Timing timing;
  private final StreamFormat format;
  private final Duration firstMessageTimeout;
  private final boolean endsWhenIdle;
  private final Owner owner;
  private final ClientCall<Message, Message> call;
  private final long openedAt;
  private volatile boolean hasReceived;
  private volatile long lastReceivedAt;

  // guarded by this
  private final Map<Integer, Sent<?, ?>> unanswered = new HashMap<>();
  private final ArrayDeque<Integer> unsent = new ArrayDeque<>();
  private List<Integer> cancelled = new ArrayList<>();
  private int lastId;
  private Timing.@Nullable Timer timer;
  private long armedFor;
  private long lastBusyAt;
  private boolean isFirst = true;

  /** Also true until the stream is started: nothing can be sent before. */
  private boolean isWriting = true;

  private boolean isClosing;
  private boolean hasEnded;

  /** Opens streams. It is called without a lock, and must not block. */
  interface Owner {

    /** Whether there is something to send besides calls. */
    default boolean hasMore() {
      return false;
    }

    /** Adds what there is to send besides calls. */
    default void addTo(Message.Builder message) {}

    /** Receives a message, before its answers end their calls. */
    default void received(Message message) {}

    /** The stream has ended; its calls are sent again afterwards. */
    void ended(Stream stream, Status status);
  }

  /**
   * Sends nothing yet.
   *
   * @param firstMessageTimeout how long to wait for the first message of Hapax
   * @param endsWhenIdle whether the stream ends after a second or two without calls
   */
  Stream(
      Channel channel,
      Timing timing,
      StreamFormat format,
      Duration firstMessageTimeout,
      boolean endsWhenIdle,
      Owner owner) {
    this.firstMessageTimeout = firstMessageTimeout;
    this.endsWhenIdle = endsWhenIdle;
    this.timing = timing;
    this.format = format;
    this.owner = owner;
    this.openedAt = timing.nanos();
    this.lastBusyAt = openedAt;
    this.lastReceivedAt = openedAt;
    // callbacks are short; slow work runs on timing.callbacks()
    this.call = channel.newCall(format.method(), CallOptions.DEFAULT.withExecutor(Runnable::run));
  }

  void open() {
    call.start(new Receiver(), new Metadata());
    call.request(2);
    synchronized (this) {
      arm(timing.nanos() + TICK.toNanos());
      isWriting = false;
    }
    flush();
  }

  boolean hasReceived() {
    return hasReceived;
  }

  long lastReceivedAt() {
    return lastReceivedAt;
  }

  /** Whether it accepts calls. A stream that has had enough time or calls is closed. */
  boolean isOpen() {
    synchronized (this) {
      if (hasEnded || isClosing) {
        return false;
      }
      if (!endsWhenIdle
          || (lastId < MAX_CALLS_OF_LIFE && timing.nanos() - openedAt - LIFE.toNanos() < 0)) {
        return true;
      }
    }
    halfClose();
    return false;
  }

  /** Sends a call; false if this stream accepts no more. */
  boolean send(Sent<?, ?> sent) {
    int id;
    synchronized (this) {
      if (hasEnded || isClosing) {
        return false;
      }
      id = ++lastId;
      sent.onCancel(() -> cancel(id));
      unanswered.put(id, sent);
      unsent.add(id);
      arm(sent.deadline());
    }
    flush();
    return true;
  }

  private void cancel(int id) {
    synchronized (this) {
      if (unanswered.remove(id) == null || unsent.remove(id)) {
        return;
      }
      cancelled.add(id);
    }
    flush();
  }

  /** Sends what is pending, on another thread: calls of the meantime share the message. */
  void flush() {
    synchronized (this) {
      if (isWriting || hasEnded) {
        return;
      }
      isWriting = true;
    }
    timing.callbacks().execute(this::write);
  }

  private void write() {
    try {
      while (beginWrite(owner.hasMore())) {
        call.sendMessage(message());
      }
      if (beginHalfClose()) {
        call.halfClose();
      }
    } catch (IllegalStateException ended) {
      // the calls are sent again
    }
  }

  private synchronized boolean beginWrite(boolean hasMore) {
    boolean hasContent = hasMore || hasCalls();
    isWriting = !hasEnded && (isFirst || (hasContent && call.isReady()));
    isFirst &= !isWriting;
    return isWriting;
  }

  private boolean hasCalls() {
    return !unsent.isEmpty() || !cancelled.isEmpty();
  }

  private Message message() {
    Message.Builder message = format.message();
    Map<Integer, Message> requests = new LinkedHashMap<>();
    List<Integer> withdrawn;
    synchronized (this) {
      int bytes = 0;
      while (!unsent.isEmpty() && requests.size() < MAX_CALLS && bytes < MAX_BYTES) {
        int id = unsent.remove();
        Sent<?, ?> sent = unanswered.get(id);
        if (sent != null) {
          requests.put(id, sent.request());
          bytes += sent.request().getSerializedSize();
        }
      }
      withdrawn = cancelled;
      cancelled = new ArrayList<>();
    }
    requests.forEach((id, request) -> format.addCall(message, id, request));
    withdrawn.forEach(id -> format.addCancelled(message, id));
    owner.addTo(message);
    return message.build();
  }

  private synchronized boolean beginHalfClose() {
    boolean begins = isClosing && !hasEnded && !isWriting && unsent.isEmpty();
    isWriting |= begins;
    return begins;
  }

  /** Ends the stream after its last response; it accepts no more calls. */
  void halfClose() {
    synchronized (this) {
      isClosing = true;
    }
    flush();
  }

  /** Ends an unresponsive stream. */
  void abandon() {
    // before cancel(), which would end it as CANCELLED
    ended(NO_RESPONSE);
    call.cancel(NO_RESPONSE.getDescription(), null);
  }

  private void arm(long when) {
    if (hasEnded || (timer != null && armedFor - when <= 0)) {
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
    boolean isUnresponsive = !hasReceived && now - openedAt - firstMessageTimeout.toNanos() >= 0;
    Map<Integer, Sent<?, ?>> late = new HashMap<>();
    boolean isIdle;
    synchronized (this) {
      long next = now + TICK.toNanos();
      for (var each : unanswered.entrySet()) {
        Sent<?, ?> sent = each.getValue();
        if (sent.deadline() - now > 0) {
          next = Math.min(next, sent.deadline());
        } else {
          late.put(each.getKey(), sent);
          isUnresponsive |= lastReceivedAt - sent.sentAt() < 0;
        }
      }
      lastBusyAt = unanswered.isEmpty() ? lastBusyAt : now;
      isIdle = endsWhenIdle && now - lastBusyAt - TICK.toNanos() >= 0;
      timer = null;
      arm(next);
    }
    late.forEach(this::timedOut);
    if (isUnresponsive) {
      abandon();
    } else if (isIdle) {
      halfClose();
    }
  }

  private void timedOut(int id, Sent<?, ?> sent) {
    cancel(id);
    sent.failed(
        Status.DEADLINE_EXCEEDED
            .withDescription("no response on the stream in time")
            .asRuntimeException());
  }

  private void ended(Status status) {
    List<Sent<?, ?>> left;
    synchronized (this) {
      if (hasEnded) {
        return;
      }
      hasEnded = true;
      if (timer != null) {
        timer.cancel();
        timer = null;
      }
      left = List.copyOf(unanswered.values());
      unanswered.clear();
      unsent.clear();
    }
    owner.ended(this, status);
    if (!left.isEmpty()) {
      timing.callbacks().execute(() -> left.forEach(Sent::sendUnary));
    }
  }

  private synchronized @Nullable Sent<?, ?> answered(Message answer) {
    return unanswered.remove(format.id(answer));
  }

  private final class Receiver extends ClientCall.Listener<Message> {
    @Override
    public void onReady() {
      flush();
    }

    @Override
    public void onMessage(Message message) {
      lastReceivedAt = timing.nanos();
      hasReceived = true;
      owner.received(message);
      end(format.answers(message));
      if (owner.hasMore()) {
        flush();
      }
      call.request(1);
    }

    /** Ends calls on another thread: what waits for them must not delay the next message. */
    private void end(List<Message> answers) {
      List<Runnable> ends = new ArrayList<>();
      for (Message answer : answers) {
        Sent<?, ?> sent = answered(answer);
        if (sent != null) {
          ends.add(() -> format.end(sent, answer));
        }
      }
      if (!ends.isEmpty()) {
        timing.callbacks().execute(() -> ends.forEach(Runnable::run));
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      ended(status);
    }
  }
}
