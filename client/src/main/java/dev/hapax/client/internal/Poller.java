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
 * Asks for as much as there is room for, one poll at a time. A poll has one attempt id, however
 * often it is sent: what an answer brought that got lost comes with the next.
 */
public final class Poller<Q, R> implements TaskSource {

  private static final Logger log = LoggerFactory.getLogger(Poller.class);
  private static final int MOST = 500;
  private static final Duration FOR_EVER = Duration.ofDays(36_500);
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(5);
  private static final Duration AFTER_NOTHING = Duration.ofMillis(100);

  private final RetryingCalls wire;
  private final Timing timing;
  private final Polled<Q, R> polled;
  // a poll sent from the answer of the last one would inherit its context, and so on for ever
  private final Context context = Context.current();
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
  private String attemptId = "";
  private int room;
  private @Nullable CompletableFuture<RetryingCalls.Answer<R>> underWay;
  private boolean busy;
  private boolean stopped;

  /** What is polled for, and who takes it. */
  public interface Polled<Q, R> {
    MethodDescriptor<Q, R> method();

    /** How many more there is room for. */
    int free();

    /** The same attempt id gets the same, however long it waits. */
    Q request(String attemptId, int atMost, Duration wait);

    /** How long one poll waits. */
    Duration pollWait();

    /** Takes what an answer brought; how many there were. */
    int take(RetryingCalls.Answer<R> answer);
  }

  public Poller(RetryingCalls wire, Timing timing, Polled<Q, R> polled) {
    this.wire = wire;
    this.timing = timing;
    this.polled = polled;
  }

  /** Asks, if there is room and no poll under way. */
  @Override
  public void next() {
    CompletableFuture<RetryingCalls.Answer<R>> sent;
    synchronized (this) {
      int free = polled.free();
      if (stopped || busy || free <= 0) {
        return;
      }
      busy = true;
      attemptId = UUID.randomUUID().toString();
      room = Math.min(free, MOST);
      sent = ask(polled.pollWait(), FOR_EVER);
      underWay = sent;
    }
    var unused = sent.whenComplete(this::answered);
  }

  private CompletableFuture<RetryingCalls.Answer<R>> ask(Duration wait, Duration bound) {
    Context callers = context.attach();
    try {
      return wire.sendUntilAnswered(
          polled.method(), polled.request(attemptId, room, wait), wait, bound);
    } finally {
      context.detach(callers);
    }
  }

  /** Asks no more. Done when it is known what the last poll brought. */
  @Override
  public CompletableFuture<@Nullable Void> stop() {
    CompletableFuture<RetryingCalls.Answer<R>> last;
    synchronized (this) {
      if (stopped) {
        return ended;
      }
      stopped = true;
      last = underWay;
    }
    if (last == null) {
      ended.complete(null);
    } else {
      // its answer may be on the way: then what it brings is ours, and would be missed for a lease
      last.cancel(false);
    }
    return ended;
  }

  private void answered(RetryingCalls.@Nullable Answer<R> answer, @Nullable Throwable error) {
    int brought = answer == null ? 0 : polled.take(answer);
    boolean last;
    synchronized (this) {
      underWay = null;
      last = stopped;
    }
    if (last) {
      if (answer == null) {
        askOnceMore();
      } else {
        ended.complete(null);
      }
    } else if (answer == null) {
      log.error("{} is refused by Hapax", polled.method().getFullMethodName(), error);
      pause(AFTER_REFUSAL);
    } else if (brought == 0 && answer.roundTrip() < polled.pollWait().toNanos() / 2) {
      pause(AFTER_NOTHING);
    } else {
      ready();
    }
  }

  private void askOnceMore() {
    var unused =
        ask(Duration.ZERO, wire.tryTimeout())
            .whenComplete(
                (answer, error) -> {
                  if (answer != null) {
                    polled.take(answer);
                  }
                  ended.complete(null);
                });
  }

  private void pause(Duration pause) {
    timing.after(pause, this::ready);
  }

  private void ready() {
    synchronized (this) {
      busy = false;
    }
    next();
  }
}
