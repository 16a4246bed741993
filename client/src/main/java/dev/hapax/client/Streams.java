package dev.hapax.client;

import com.google.protobuf.Message;
import dev.hapax.client.internal.Timing;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The streams of a client for starts and for operations, each open while there are calls. */
final class Streams implements Calls.Router {

  private static final Logger log = LoggerFactory.getLogger(Streams.class);

  /** The pause after an unresponsive stream. */
  private static final Duration PAUSE = Duration.ofSeconds(5);

  private final Channel channel;
  private final Timing timing;
  private final Duration tryTimeout;
  // values of the client's creator (credentials), but neither cancellation nor deadline of a caller
  private final Context context = Context.current().fork();
  private final Shared starts = new Shared(StreamFormat.STARTS);
  private final Shared operations = new Shared(StreamFormat.OPERATIONS);

  /** Opens nothing yet. */
  Streams(Channel channel, Timing timing, Duration tryTimeout) {
    this.tryTimeout = tryTimeout;
    this.channel = channel;
    this.timing = timing;
  }

  @Override
  public @Nullable Stream to(Message request) {
    Shared shared = operations.format.carries(request) ? operations : starts;
    return shared.format.carries(request) ? shared.current() : null;
  }

  @Override
  public void close() {
    starts.close();
    operations.close();
  }

  private final class Shared implements Stream.Owner {
    private final StreamFormat format;

    private final ReentrantLock opening = new ReentrantLock();
    private volatile @Nullable Stream stream;
    private volatile boolean isUnimplemented;
    private volatile boolean isPaused;
    private volatile long pausedAt;

    Shared(StreamFormat format) {
      this.format = format;
    }

    /** The open stream, or a new one; null = streams do not get through now. */
    @Nullable Stream current() {
      Stream known = stream;
      return known != null && known.isOpen() ? known : openAfter(known);
    }

    private @Nullable Stream openAfter(@Nullable Stream old) {
      Context callers = context.attach();
      opening.lock();
      try {
        isPaused &= timing.nanos() - pausedAt - PAUSE.toNanos() < 0;
        if (stream != old || isPaused || isUnimplemented) {
          return isPaused ? null : stream;
        }
        Stream opened = new Stream(channel, timing, format, tryTimeout, true, this);
        opened.open();
        stream = opened;
        return opened;
      } catch (RuntimeException refused) {
        log.debug("failed to open a stream", refused);
        return null;
      } finally {
        opening.unlock();
        context.detach(callers);
      }
    }

    void close() {
      Stream open = stream;
      if (open != null) {
        open.halfClose();
      }
    }

    @Override
    public void ended(Stream ended, Status status) {
      if (ended.hasReceived()) {
        return;
      }
      if (status.getCode() == Status.Code.UNIMPLEMENTED) {
        log.info("the server has no {}: using unary calls", format.method().getFullMethodName());
        isUnimplemented = true;
      } else {
        log.debug("a stream failed: {}", status);
        isPaused = true;
        pausedAt = timing.nanos();
      }
    }
  }
}
