package dev.hapax.application.run;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One call of a poll that may be sent again, from its arrival until what it got is remembered. */
final class RepeatableCall {
  private final CompletableFuture<Void> over = new CompletableFuture<>();

  // guarded by this
  private @Nullable TaskPoll poll;
  private boolean isEnded;

  /**
   * A caller that sends a poll again has given up on this call: it ends with what it has.
   *
   * @return when it is over
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

  /** The call's poll begins to search for tasks. */
  void started(TaskPoll next) {
    if (isEnded(next)) {
      next.end();
    }
  }

  private synchronized boolean isEnded(TaskPoll next) {
    poll = next;
    return isEnded;
  }

  /** What it was granted is remembered. */
  void over() {
    over.complete(null);
  }
}
