package dev.hapax.grpc.call;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the memory of answers on their way to callers: what one commit completes may be awaited by
 * thousands of calls, each with an answer of its own. Once the bytes under way reach the limit,
 * further large answers are encoded and sent one by one, as earlier ones leave.
 */
final class AnswerBudget {
  private static final Logger LOG = LoggerFactory.getLogger(AnswerBudget.class);

  /** Of this process, whose heap the answers share. */
  static final AnswerBudget OF_PROCESS =
      new AnswerBudget(
          Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8),
          Duration.ofSeconds(5),
          Executors.newSingleThreadExecutor(
              Thread.ofPlatform().daemon().name("answers").factory()));

  /** Smaller answers are not counted, and wait for nothing. */
  private static final int SMALL = 16 << 10;

  private final long limit;
  private final Duration longest;
  private final Executor sender;

  // guarded by this
  private long underWay;
  private final Queue<Runnable> waiting = new ArrayDeque<>();

  /**
   * Counts nothing yet.
   *
   * @param longest for how long an answer counts at most: so long a caller that reads nothing may
   *     delay the answers of others
   * @param sender runs one task after another
   */
  AnswerBudget(long limit, Duration longest, Executor sender) {
    this.limit = limit;
    this.longest = longest;
    this.sender = sender;
  }

  /**
   * Whether an answer may be sent now, which is counted then.
   *
   * @param gone completes when the answer has left, or never will
   * @param later encodes the answer again, counts and sends it; kept until its turn comes if the
   *     answer may not be sent now
   */
  boolean admit(int bytes, CompletableFuture<?> gone, Runnable later) {
    if (bytes <= SMALL) {
      return true;
    }
    synchronized (this) {
      if (isExhausted() || !waiting.isEmpty()) {
        waiting.add(later);
        return false;
      }
      underWay += bytes;
    }
    await(bytes, gone);
    return true;
  }

  /** Counts an answer that is sent now in any case. */
  void count(int bytes, CompletableFuture<?> gone) {
    if (bytes <= SMALL) {
      return;
    }
    synchronized (this) {
      underWay += bytes;
    }
    await(bytes, gone);
  }

  private void await(int bytes, CompletableFuture<?> gone) {
    var _ =
        gone.copy()
            .completeOnTimeout(null, longest.toNanos(), TimeUnit.NANOSECONDS)
            .whenComplete((_, _) -> left(bytes));
  }

  private void left(int bytes) {
    synchronized (this) {
      underWay -= bytes;
      if (waiting.isEmpty() || isExhausted()) {
        return;
      }
    }
    sender.execute(this::sendWaiting);
  }

  private void sendWaiting() {
    while (true) {
      Runnable next;
      synchronized (this) {
        if (waiting.isEmpty() || isExhausted()) {
          return;
        }
        next = waiting.remove();
      }
      try {
        next.run();
      } catch (RuntimeException e) {
        LOG.error("an answer could not be sent", e);
      }
    }
  }

  private boolean isExhausted() {
    return underWay >= limit;
  }

  synchronized long bytesUnderWay() {
    return underWay;
  }
}
