package dev.hapax.client.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
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

  private static final long IDLE_SECONDS = 2;

  /** A worker may be drained after its client is closed, on threads of the JDK. */
  private static final RejectedExecutionHandler AFTER_CLOSE =
      (task, closed) -> ForkJoinPool.commonPool().execute(task);

  public static final SystemTiming INSTANCE = new SystemTiming();

  private final ScheduledThreadPoolExecutor timer;
  private final ThreadPoolExecutor callbacks =
      new ThreadPoolExecutor(
          1,
          1,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          daemons("hapax-callback-"),
          AFTER_CLOSE);
  private final ThreadPoolExecutor listeners =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          daemons("hapax-listener-"),
          AFTER_CLOSE);

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
    Future<?> scheduled = schedule(task, Math.max(0, delay.toNanos()));
    return () -> scheduled.cancel(false);
  }

  private Future<?> schedule(Runnable task, long nanos) {
    try {
      return timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closed) {
      // a timer of the JDK, so that the worker gives up in time
      return CompletableFuture.runAsync(
          task, CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS));
    }
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
  public boolean isClosed() {
    return timer.isShutdown();
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
