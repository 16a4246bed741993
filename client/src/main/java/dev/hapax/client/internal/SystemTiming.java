package dev.hapax.client.internal;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The timing of production: one daemon timer thread and one daemon callback pool per JVM. */
public final class SystemTiming implements Timing {

  public static final SystemTiming INSTANCE = new SystemTiming();

  private final ScheduledThreadPoolExecutor timer;
  private final Executor callbacks = Executors.newCachedThreadPool(daemons("hapax-callback-"));

  private SystemTiming() {
    timer = new ScheduledThreadPoolExecutor(1, daemons("hapax-timer-"));
    timer.setRemoveOnCancelPolicy(true);
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public Timer after(Duration delay, Runnable task) {
    Future<?> scheduled = timer.schedule(task, Math.max(0, delay.toNanos()), TimeUnit.NANOSECONDS);
    return () -> scheduled.cancel(false);
  }

  @Override
  public Executor callbacks() {
    return callbacks;
  }

  public static ThreadFactory daemons(String prefix) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, prefix + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
