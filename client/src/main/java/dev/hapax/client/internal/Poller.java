package dev.hapax.client.internal;

import io.grpc.Context;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls while there is capacity, one poll at a time. A poll keeps its attempt id over retries, so
 * that a lost response is delivered with the next one.
 */
public final class Poller<Q, R> implements TaskSource {

  private static final Logger log = LoggerFactory.getLogger(Poller.class);
  private static final int MAX_ITEMS = 500;
  private static final Duration NO_LIMIT = Duration.ofDays(36_500);
  private static final Duration AFTER_EMPTY_ANSWER = Duration.ofMillis(100);

  private final RetryingCalls transport;
  private final Timing timing;
  private final Polled<Q, R> polled;
  private final Rejections rejections;
  // without this, each poll would inherit the context of the previous response
  private final Context context = Context.current();
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
  private String attemptId = "";
  private int limit;
  private @Nullable CompletableFuture<RetryingCalls.Answer<R>> inFlight;
  private boolean polling;
  private boolean stopped;

  /** The polled queues or modules, and the receiver. */
  public interface Polled<Q, R> {
    MethodDescriptor<Q, R> method();

    /** The free capacity. */
    int free();

    /** A request. The same attempt id gets the same items, however long it waits. */
    Q request(String attemptId, int atMost, Duration wait);

    /** How long one poll waits. */
    Duration pollWait();

    /** Accepts the items of a response; returns their number. */
    int take(RetryingCalls.Answer<R> answer);
  }

  public Poller(RetryingCalls transport, Timing timing, Polled<Q, R> polled) {
    this.transport = transport;
    this.timing = timing;
    this.polled = polled;
    this.rejections = new Rejections(log, polled.method().getFullMethodName());
  }

  /** Polls, if there is capacity and no poll is in flight. */
  @Override
  public void next() {
    CompletableFuture<RetryingCalls.Answer<R>> sent;
    synchronized (this) {
      int free = polled.free();
      if (stopped || polling || free <= 0) {
        return;
      }
      polling = true;
      attemptId = UUID.randomUUID().toString();
      limit = Math.min(free, MAX_ITEMS);
      sent = send(polled.pollWait(), NO_LIMIT);
      inFlight = sent;
    }
    var unused = sent.whenComplete(this::answered);
  }

  private CompletableFuture<RetryingCalls.Answer<R>> send(Duration wait, Duration timeLimit) {
    Context callers = context.attach();
    try {
      return transport.sendUntilAnswered(
          polled.method(), polled.request(attemptId, limit, wait), wait, timeLimit);
    } finally {
      context.detach(callers);
    }
  }

  /** Stops polling. Done when the result of the last poll is known. */
  @Override
  public CompletableFuture<@Nullable Void> stop() {
    CompletableFuture<RetryingCalls.Answer<R>> last;
    synchronized (this) {
      if (stopped) {
        return ended;
      }
      stopped = true;
      last = inFlight;
    }
    if (last == null) {
      ended.complete(null);
    } else {
      // its response may be on the way, with items that would stay granted for a lease
      last.cancel(false);
    }
    return ended;
  }

  private void answered(RetryingCalls.@Nullable Answer<R> answer, @Nullable Throwable error) {
    int count = answer == null ? 0 : accepted(answer);
    boolean last;
    synchronized (this) {
      inFlight = null;
      last = stopped;
    }
    if (last) {
      if (answer == null) {
        pollOnceMore();
      } else {
        ended.complete(null);
      }
    } else if (answer == null) {
      pause(rejections.rejected(UnaryCalls.statusOf(error).getStatus()));
    } else if (count == 0 && answer.roundTrip() < polled.pollWait().toNanos() / 2) {
      pause(AFTER_EMPTY_ANSWER);
    } else {
      pollNext();
    }
  }

  private int accepted(RetryingCalls.Answer<R> answer) {
    rejections.accepted();
    return polled.take(answer);
  }

  private void pollOnceMore() {
    var unused =
        send(Duration.ZERO, transport.tryTimeout())
            .whenComplete(
                (answer, error) -> {
                  if (answer != null) {
                    polled.take(answer);
                  }
                  ended.complete(null);
                });
  }

  private void pause(Duration pause) {
    timing.after(pause, this::pollNext);
  }

  private void pollNext() {
    synchronized (this) {
      polling = false;
    }
    next();
  }
}
