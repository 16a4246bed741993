package dev.hapax.client.internal;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The timing of production, with daemon threads: one for timers, one for callbacks, and as many for
 * listeners as block. Idle threads end, since a launcher such as {@code mvn exec:java} waits for
 * daemons, too.
 */
public final class SystemTiming implements Timing, AutoCloseable {

  public static final SystemTiming INSTANCE = new SystemTiming();

  private static final long IDLE_SECONDS = 2;

  private final ScheduledThreadPoolExecutor timer;
  private final ThreadPoolExecutor callbacks =
      new ThreadPoolExecutor(
          1,
          1,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          daemons("hapax-callback-"));
  private final ThreadPoolExecutor listeners =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          daemons("hapax-listener-"));

  public SystemTiming() {
    timer = new ScheduledThreadPoolExecutor(1, daemons("hapax-timer-"));
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    callbacks.allowCoreThreadTimeOut(true);
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

  @Override
  public Executor listeners() {
    return listeners;
  }

  @Override
  public void close() {
    timer.shutdownNow();
    callbacks.shutdown();
    listeners.shutdown();
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
