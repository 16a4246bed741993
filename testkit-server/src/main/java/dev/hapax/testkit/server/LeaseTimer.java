package dev.hapax.testkit.server;

import java.util.concurrent.Callable;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The timer of operations and entities. A Begin waits for the end of a lease, by the test's clock,
 * or of its own wait, in real time; so each task runs at whichever comes first. A superfluous
 * attempt changes nothing.
 */
final class LeaseTimer extends ScheduledThreadPoolExecutor {
  private final ScheduledExecutorService byClock;

  LeaseTimer(ScheduledExecutorService byClock) {
    super(1, Thread.ofPlatform().daemon().name("hapax-test-leases").factory());
    this.byClock = byClock;
    setRemoveOnCancelPolicy(true);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return alsoByClock(super.schedule(task, delay, unit), delay, unit);
  }

  /** Overridden too, because a lambda whose expression has a value selects this overload. */
  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    return alsoByClock(super.schedule(task, delay, unit), delay, unit);
  }

  private <F extends ScheduledFuture<?>> F alsoByClock(F scheduled, long delay, TimeUnit unit) {
    if (scheduled instanceof RunnableScheduledFuture<?> once) {
      // the task runs once, on the first of both timers, and never after a cancel
      var _ = byClock.schedule(once, delay, unit);
    }
    return scheduled;
  }
}
