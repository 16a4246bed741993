package dev.hapax.client;

import dev.hapax.client.internal.Timing;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A clock that a test advances; it runs what became due, in order. */
public final class ManualTiming implements Timing {

  private record Due(long at, long order, Runnable task) {}

  private final PriorityQueue<Due> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::order));
  private final AtomicInteger sleepers = new AtomicInteger();
  private Runnable afterEach = () -> {};
  private long now = 1_000_000_000_000L;
  private long order;

  @Override
  public synchronized long nanos() {
    return now;
  }

  @Override
  public synchronized Timer after(Duration delay, Runnable task) {
    Due due = new Due(now + Math.max(0, delay.toNanos()), order++, task);
    tasks.add(due);
    return () -> {
      synchronized (this) {
        tasks.remove(due);
      }
    };
  }

  @Override
  public Executor callbacks() {
    return Runnable::run;
  }

  @Override
  public Executor listeners() {
    return Runnable::run;
  }

  @Override
  public void sleep(Duration pause) throws InterruptedException {
    CountDownLatch over = new CountDownLatch(1);
    AtomicBoolean isAsleep = new AtomicBoolean(true);
    Runnable awake =
        () -> {
          if (isAsleep.compareAndSet(true, false)) {
            sleepers.decrementAndGet();
          }
          over.countDown();
        };
    sleepers.incrementAndGet();
    Timer timer = after(pause, awake);
    try {
      over.await();
    } finally {
      timer.cancel();
      awake.run();
    }
  }

  /** Whether a task runs exactly then. */
  public synchronized boolean hasTaskIn(Duration delay) {
    return tasks.stream().anyMatch(task -> task.at() == now + delay.toNanos());
  }

  /** Whether a thread sleeps. */
  public boolean isAsleep() {
    return sleepers.get() > 0;
  }

  /** Runs this after each task that {@link #advance} runs. */
  public void afterEach(Runnable settle) {
    afterEach = settle;
  }

  /** How many tasks have neither run nor been cancelled. */
  public synchronized int pending() {
    return tasks.size();
  }

  public void advance(Duration by) {
    long end = nanos() + by.toNanos();
    for (Runnable task = due(end); task != null; task = due(end)) {
      task.run();
      afterEach.run();
    }
    synchronized (this) {
      now = end;
    }
  }

  /** The clock goes on, but nothing runs: as if the process had been stopped. */
  public synchronized void sleepThrough(Duration by) {
    now += by.toNanos();
  }

  private synchronized @Nullable Runnable due(long end) {
    Due first = tasks.peek();
    if (first == null || first.at() > end) {
      return null;
    }
    tasks.remove(first);
    now = Math.max(now, first.at());
    return first.task();
  }
}
