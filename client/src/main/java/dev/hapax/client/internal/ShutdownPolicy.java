package dev.hapax.client.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** How something that works by itself is stopped: what is at hand may end, within limits. */
public final class ShutdownPolicy {

  private final Timing timing;
  private final Supplier<? extends CompletableFuture<?>> drain;
  private final Runnable abandon;
  private final CompletableFuture<Boolean> stopped = new CompletableFuture<>();

  /**
   * @param drain takes nothing more; done when what is at hand has ended. May be called again
   * @param abandon lets go of what is at hand
   */
  public ShutdownPolicy(
      Timing timing, Supplier<? extends CompletableFuture<?>> drain, Runnable abandon) {
    this.timing = timing;
    this.drain = drain;
    this.abandon = abandon;
  }

  /** True when all has ended, false when it was given up after {@code atMost}. */
  public CompletableFuture<Boolean> stop(Duration atMost) {
    Timing.Timer end = timing.after(atMost, this::abandon);
    var unused = drain.get().thenRun(() -> stopped.complete(true));
    var unusedToo = stopped.whenComplete((drained, error) -> end.cancel());
    return stopped.copy();
  }

  private void abandon() {
    // before those at work are told: those that end over it have not ended in time
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

  /** Stops and waits for it. An interrupt makes it give up at once. */
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
