package dev.hapax.testkit;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler without threads: tasks run in the thread that advances its clock, in the order in
 * which they are due. A failed task fails the test that drives it.
 */
public final class ManualScheduler extends AbstractExecutorService
    implements ScheduledExecutorService {
  private final SettableClock clock;

  // guarded by itself
  private final PriorityQueue<Task<?>> tasks =
      new PriorityQueue<>(
          Comparator.<Task<?>, Instant>comparing(task -> task.due)
              .thenComparingLong(task -> task.number));
  private long scheduled;
  private volatile boolean shutdown;

  public ManualScheduler(SettableClock clock) {
    this.clock = clock;
  }

  /** Advances the clock from task to task, so that each task runs at its due time. */
  public void advance(Duration by) {
    var end = clock.instant().plus(by);
    for (var task = next(end); task != null; task = next(end)) {
      if (task.due.isAfter(clock.instant())) {
        clock.set(task.due);
      }
      task.runOrThrow();
    }
    clock.set(end);
  }

  /** Runs the tasks that are due now. */
  public void runDue() {
    advance(Duration.ZERO);
  }

  /** Returns when the next task is due; empty = none is scheduled. */
  public Optional<Instant> nextDue() {
    synchronized (tasks) {
      return Optional.ofNullable(tasks.peek()).map(task -> task.due);
    }
  }

  /** Returns the number of scheduled tasks, without cancelled ones. */
  public int pending() {
    synchronized (tasks) {
      return tasks.size();
    }
  }

  private @Nullable Task<?> next(Instant end) {
    synchronized (tasks) {
      var first = tasks.peek();
      return first == null || first.due.isAfter(end) ? null : tasks.poll();
    }
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    if (shutdown) {
      throw new RejectedExecutionException("shut down");
    }
    var due = clock.instant().plus(delay, unit.toChronoUnit());
    synchronized (tasks) {
      var added = new Task<>(task, due, scheduled++);
      tasks.add(added);
      return added;
    }
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return schedule(Executors.callable(task), delay, unit);
  }

  @Override
  public void execute(Runnable task) {
    var _ = schedule(task, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable task, long initialDelay, long period, TimeUnit unit) {
    throw new UnsupportedOperationException("only a fixed delay is supported for repeated tasks");
  }

  /** Schedules a repeated task until shutdown; the future is that of its first run. */
  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long initialDelay, long delay, TimeUnit unit) {
    return schedule(
        () -> {
          task.run();
          if (!shutdown) {
            var _ = scheduleWithFixedDelay(task, delay, delay, unit);
          }
        },
        initialDelay,
        unit);
  }

  @Override
  public void shutdown() {
    shutdown = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown = true;
    synchronized (tasks) {
      var left = new ArrayList<Runnable>(tasks);
      tasks.clear();
      return left;
    }
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown && pending() == 0;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return isTerminated();
  }

  private final class Task<V> extends FutureTask<V> implements ScheduledFuture<V> {
    private final Instant due;
    private final long number;

    Task(Callable<V> task, Instant due, long number) {
      super(task);
      this.due = due;
      this.number = number;
    }

    void runOrThrow() {
      run();
      if (state() == State.FAILED) {
        throw new AssertionError("a scheduled task failed", exceptionNow());
      }
    }

    @Override
    protected void done() {
      synchronized (tasks) {
        tasks.remove(this);
      }
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(Duration.between(clock.instant(), due));
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
  }
}
