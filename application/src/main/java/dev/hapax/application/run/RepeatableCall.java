package dev.hapax.application.run;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One call of a poll that the caller may retry, from its arrival until its result is stored for
 * retries.
 */
final class RepeatableCall {
  private final CompletableFuture<Void> over = new CompletableFuture<>();

  // guarded by this
  private @Nullable TaskPoll poll;
  private boolean isEnded;

  /**
   * Ends this call with its current result, because the caller has retried the poll.
   *
   * @return completes when the call has ended
   */
  CompletableFuture<Void> end() {
    var running = ended();
    if (running != null) {
      running.end();
    }
    return over;
  }

  private synchronized @Nullable TaskPoll ended() {
    isEnded = true;
    return poll;
  }

  /** Sets the call's poll, which has begun to search for tasks. */
  void started(TaskPoll next) {
    if (isEnded(next)) {
      next.end();
    }
  }

  private synchronized boolean isEnded(TaskPoll next) {
    poll = next;
    return isEnded;
  }

  /** Marks the call as ended: its result is stored for retries. */
  void over() {
    over.complete(null);
  }
}
