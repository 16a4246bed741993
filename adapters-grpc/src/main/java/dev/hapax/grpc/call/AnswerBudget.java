package dev.hapax.grpc.call;

import dev.hapax.domain.ledger.LedgerException;
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
 * Bounds the memory of responses that are being sent. One commit may complete thousands of calls,
 * each with a response of its own. Once the bytes being sent reach the limit, further large
 * responses are encoded and sent one by one, as earlier ones leave.
 */
public final class AnswerBudget {
  private static final Logger LOG = LoggerFactory.getLogger(AnswerBudget.class);

  /** The budget of this process, whose heap all responses share. */
  public static final AnswerBudget OF_PROCESS =
      new AnswerBudget(
          Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8),
          Runtime.getRuntime().maxMemory() / 4,
          Duration.ofSeconds(5),
          Executors.newSingleThreadExecutor(
              Thread.ofPlatform().daemon().name("answers").factory()));

  /** Smaller responses are not counted and never wait. */
  private static final int SMALL = 16 << 10;

  private final long limit;
  private final long maxWaiting;
  private final Duration longest;
  private final Executor sender;

  // guarded by this
  private long bytesSending;
  private long bytesWaiting;
  private final Queue<Waiting> waiting = new ArrayDeque<>();

  /**
   * What is to be sent later.
   *
   * @param bytes of the response; 0 = not known, since nothing is kept of it
   */
  private record Waiting(int bytes, Runnable send) {}

  /**
   * Makes an empty budget.
   *
   * @param maxWaiting the most bytes of responses that wait: what they are encoded from is kept
   * @param longest how long a response counts at most; bounds the delay that a caller that does not
   *     read causes to others
   * @param sender runs one task after another
   */
  public AnswerBudget(long limit, long maxWaiting, Duration longest, Executor sender) {
    this.limit = limit;
    this.maxWaiting = maxWaiting;
    this.longest = longest;
    this.sender = sender;
  }

  /**
   * Counts a response that may be sent now, or queues it.
   *
   * @param closed completes when the response has left, or never will
   * @param later encodes the response again, counts and sends it; queued if the response may not be
   *     sent now
   * @return whether it may be sent now
   * @throws LedgerException.Unavailable if too many responses wait
   */
  boolean admit(int bytes, CompletableFuture<?> closed, Runnable later) {
    if (bytes <= SMALL) {
      return true;
    }
    synchronized (this) {
      if (isExhausted() || !waiting.isEmpty()) {
        if (bytesWaiting + bytes > maxWaiting) {
          // not Overloaded, which means that nothing was done: the request took effect
          throw new LedgerException.Unavailable(
              "too many responses wait for their callers to read");
        }
        bytesWaiting += bytes;
        waiting.add(new Waiting(bytes, later));
        return false;
      }
      bytesSending += bytes;
    }
    var _ = await(bytes, closed);
    return true;
  }

  /**
   * Whether a message may be encoded now; otherwise queues a task that encodes, counts and sends
   * it. The size is not known before, so all messages wait while the budget is exhausted.
   */
  public boolean proceed(Runnable later) {
    synchronized (this) {
      if (!isExhausted() && waiting.isEmpty()) {
        return true;
      }
      waiting.add(new Waiting(0, later));
      return false;
    }
  }

  /**
   * Counts a response that is sent now in any case; small ones are not counted.
   *
   * @return completes when the response counts no more; for a small one, when it has left
   */
  public CompletableFuture<?> count(int bytes, CompletableFuture<?> closed) {
    if (bytes <= SMALL) {
      return closed;
    }
    synchronized (this) {
      bytesSending += bytes;
    }
    return await(bytes, closed);
  }

  private CompletableFuture<?> await(int bytes, CompletableFuture<?> closed) {
    return closed
        .copy()
        .completeOnTimeout(null, longest.toNanos(), TimeUnit.NANOSECONDS)
        .whenComplete((_, _) -> left(bytes));
  }

  private void left(int bytes) {
    synchronized (this) {
      bytesSending -= bytes;
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
        var first = waiting.remove();
        bytesWaiting -= first.bytes;
        next = first.send;
      }
      try {
        next.run();
      } catch (RuntimeException e) {
        LOG.error("failed to send a response", e);
      }
    }
  }

  private boolean isExhausted() {
    return bytesSending >= limit;
  }

  public synchronized long bytesSending() {
    return bytesSending;
  }
}
