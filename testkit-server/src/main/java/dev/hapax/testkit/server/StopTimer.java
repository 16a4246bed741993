package dev.hapax.testkit.server;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The timer of runs. How long a caller waits is measured in real time: a poll that ended with every
 * move of the clock would leave its worker away just then. What the server does ten times a second
 * is done once at each stop of the clock instead: nothing can be due between two stops, and 14 days
 * have twelve million tenths of a second.
 */
final class StopTimer extends ScheduledThreadPoolExecutor {
  private final List<Runnable> atEachStop = new CopyOnWriteArrayList<>();

  StopTimer() {
    super(1, Thread.ofPlatform().daemon().name("hapax-test-waits").factory());
    setRemoveOnCancelPolicy(true);
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long initialDelay, long delay, TimeUnit unit) {
    atEachStop.add(task);
    return schedule(task, initialDelay, unit);
  }

  /** The clock stands at a time at which something is due. */
  void stop() {
    atEachStop.forEach(Runnable::run);
  }
}
