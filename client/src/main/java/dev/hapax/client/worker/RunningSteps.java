package dev.hapax.client.worker;

import dev.hapax.client.internal.ClaimLease;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a workflow whose bodies run, on any thread. Its execution ends after them: otherwise
 * their results could not be recorded, and they would run again.
 */
final class RunningSteps {

  private final ClaimLease lease;
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
  private int running;
  private boolean closed;

  RunningSteps(ClaimLease lease) {
    this.lease = lease;
  }

  /**
   * Adds a step.
   *
   * @throws IllegalStateException if the execution has ended
   */
  synchronized void begin() {
    if (closed) {
      throw new IllegalStateException(
          "the workflow has ended: no step may begin; join its threads before it returns");
    }
    running++;
  }

  synchronized void end() {
    running--;
    completeIfEnded();
  }

  /** Allows no more steps, and waits for the running ones unless Hapax has reported the loss. */
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
   * Checks that no step is running.
   *
   * @throws IllegalStateException if a step is running
   */
  synchronized void checkNone() {
    if (running > 0) {
      throw new IllegalStateException(
          running + " steps of the workflow are running; complete the task after they have ended");
    }
  }
}
