package dev.hapax.client.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** Stops a worker or janitor: running work may end, within a time limit. */
public final class ShutdownPolicy {

  private final Timing timing;
  private final Supplier<? extends CompletableFuture<?>> drain;
  private final Runnable abandon;
  private final CompletableFuture<Boolean> stopped = new CompletableFuture<>();

  /**
   * @param drain accepts no more work; done when running work has ended. May be called again
   * @param abandon abandons running work
   */
  public ShutdownPolicy(
      Timing timing, Supplier<? extends CompletableFuture<?>> drain, Runnable abandon) {
    this.timing = timing;
    this.drain = drain;
    this.abandon = abandon;
  }

  /** True when all work has ended, false when it was abandoned after {@code atMost}. */
  public CompletableFuture<Boolean> stop(Duration atMost) {
    Timing.Timer end = timing.after(atMost, this::abandon);
    var unused = drain.get().thenRun(() -> stopped.complete(true));
    var unusedToo = stopped.whenComplete((drained, error) -> end.cancel());
    return stopped.copy();
  }

  private void abandon() {
    // first, as work that ends because it is abandoned has not ended in time
    if (stopped.complete(false)) {
      abandon.run();
    }
  }

  public void await() throws InterruptedException {
    try {
      stopped.get();
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Stops and waits. An interrupt abandons running work at once. */
  public void close(Duration atMost) {
    var unused = stop(atMost);
    try {
      await();
    } catch (InterruptedException interrupted) {
      abandon();
      Thread.currentThread().interrupt();
    }
  }
}
