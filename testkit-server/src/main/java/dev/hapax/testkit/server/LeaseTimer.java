package dev.hapax.testkit.server;

import java.util.concurrent.Callable;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The timer of operations and entities, where a Begin waits for the end of a lease, which the
 * test's clock tells, or of its own patience, which is real time. Each wait ends by whichever is
 * first; a look too many changes nothing.
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

  /** What a lambda whose expression has a value is taken for, wanted or not. */
  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    return alsoByClock(super.schedule(task, delay, unit), delay, unit);
  }

  private <F extends ScheduledFuture<?>> F alsoByClock(F scheduled, long delay, TimeUnit unit) {
    if (scheduled instanceof RunnableScheduledFuture<?> once) {
      // runs once, whoever begins it; and not at all when it is cancelled
      var _ = byClock.schedule(once, delay, unit);
    }
    return scheduled;
  }
}
