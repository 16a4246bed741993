package dev.hapax.client.internal;

import com.google.protobuf.MessageLite;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends requests over one shared stream, which is open while there are calls. */
public final class StreamedCalls<M, N> implements CallRoute {

  private static final Logger log = LoggerFactory.getLogger(StreamedCalls.class);

  /** Larger requests gain nothing from a stream and delay others. */
  public static final int MAX_BYTES = 64 << 10;

  /** The pause after an unresponsive stream. */
  private static final Duration PAUSE = Duration.ofSeconds(5);

  private final Channel channel;
  private final Timing timing;
  private final Duration firstMessageTimeout;
  private final StreamProtocol<M, N> protocol;
  private final Set<Class<?>> requests;
  // values of the client's creator (credentials, traces), but neither cancellation nor deadline of
  // a caller
  private final Context context = Context.current().fork();
  private volatile boolean unimplemented;

  // guarded by this
  private @Nullable CallStream<M, N> stream;
  private long pausedAt;
  private boolean paused;

  /**
   * Opens nothing yet.
   *
   * @param firstMessageTimeout how long to wait for the first message of Hapax
   * @param requests the types that the stream carries
   */
  public StreamedCalls(
      Channel channel,
      Timing timing,
      Duration firstMessageTimeout,
      StreamProtocol<M, N> protocol,
      Set<Class<?>> requests) {
    this.channel = channel;
    this.timing = timing;
    this.firstMessageTimeout = firstMessageTimeout;
    this.protocol = protocol;
    this.requests = requests;
  }

  @Override
  public boolean carries(Object request) {
    return !unimplemented
        && requests.contains(request.getClass())
        && ((MessageLite) request).getSerializedSize() <= MAX_BYTES;
  }

  @Override
  public <Q, R> CompletableFuture<RetryingCalls.Answer<R>> send(
      RetryingCalls transport, MethodDescriptor<Q, R> method, Q request, Duration timeout) {
    StreamedCall<Q, R> call =
        new StreamedCall<>(transport, method, request, timing.nanos(), timeout);
    if (!sendOnOpen(call)) {
      call.resend(timing.nanos());
    }
    return call.answer();
  }

  private boolean sendOnOpen(StreamedCall<?, ?> call) {
    CallStream<M, N> known;
    synchronized (this) {
      known = stream;
    }
    return (known != null && known.send(call)) || sendOnNew(call, known);
  }

  private boolean sendOnNew(StreamedCall<?, ?> call, @Nullable CallStream<M, N> old) {
    Context callers = context.attach();
    try {
      CallStream<M, N> next = openAfter(old);
      return next != null && next.send(call);
    } catch (RuntimeException refused) {
      log.debug("failed to open a stream", refused);
      return false;
    } finally {
      context.detach(callers);
    }
  }

  /** A new stream, or the existing one; null = streams do not get through now. */
  private @Nullable CallStream<M, N> openAfter(@Nullable CallStream<M, N> old) {
    CallStream<M, N> opened;
    synchronized (this) {
      if (stream != old) {
        return stream;
      }
      paused &= timing.nanos() - pausedAt - PAUSE.toNanos() < 0;
      if (paused || unimplemented) {
        return null;
      }
      opened = new CallStream<>(channel, timing, protocol, firstMessageTimeout, true, this::ended);
      stream = opened;
    }
    try {
      opened.open();
    } catch (RuntimeException refused) {
      forget(opened);
      throw refused;
    }
    return opened;
  }

  private synchronized void forget(CallStream<M, N> ended) {
    if (stream == ended) {
      stream = null;
    }
  }

  private synchronized void ended(CallStream<M, N> ended, Status status) {
    forget(ended);
    if (ended.hasReceived()) {
      return;
    }
    if (status.getCode() == Status.Code.UNIMPLEMENTED) {
      log.info("the server has no {}: using unary calls", protocol.method().getFullMethodName());
      unimplemented = true;
    } else {
      log.debug("a stream failed: {}", status);
      paused = true;
      pausedAt = timing.nanos();
    }
  }
}
