package dev.hapax.testkit.server;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The timer of runs. Waits of callers are measured in real time: if every advance of the clock
 * ended the polls, their workers would be away at that moment. Periodic work of the server runs
 * once at each stop of the clock instead: nothing is due between two stops, and 14 days have twelve
 * million ticks.
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

  /** Runs the periodic work at a stop of the clock. */
  void stop() {
    atEachStop.forEach(Runnable::run);
  }
}
