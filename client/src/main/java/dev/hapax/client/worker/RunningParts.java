package dev.hapax.client.worker;

import dev.hapax.client.internal.ClaimLease;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a workflow whose bodies run, on any thread. Its execution ends after them: otherwise
 * their results could not be recorded, and they would run again.
 */
final class RunningParts {

  private final ClaimLease lease;
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
  private int running;
  private boolean closed;

  RunningParts(ClaimLease lease) {
    this.lease = lease;
  }

  /**
   * Adds a part.
   *
   * @throws IllegalStateException if the execution has ended
   */
  synchronized void begin() {
    if (closed) {
      throw new IllegalStateException(
          "the workflow has ended: no part may begin; join its threads before it returns");
    }
    running++;
  }

  synchronized void end() {
    running--;
    completeIfEnded();
  }

  /** Allows no more parts, and waits for the running ones unless Hapax has reported the loss. */
  void close() {
    synchronized (this) {
      closed = true;
      completeIfEnded();
    }
    CompletableFuture.anyOf(ended, lease.revocation()).join();
  }

  private void completeIfEnded() {
    if (closed && running == 0) {
      ended.complete(null);
    }
  }

  /**
   * Checks that no part is running.
   *
   * @throws IllegalStateException if a part is running
   */
  synchronized void checkNone() {
    if (running > 0) {
      throw new IllegalStateException(
          running + " parts of the workflow are running; complete the task after they have ended");
    }
  }
}
