package dev.hapax.bench;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Begins turns at a given rate, without waiting for the turns before. */
public final class OpenLoopLoad {
  private static final int MAX_IN_FLIGHT = 10_000;
  private static final Duration DRAIN_TIMEOUT = Duration.ofMinutes(2);
  private static final double MEDIAN = 50;
  private static final double NANOS = 1e9;
  private static final double MICROS_PER_MILLI = 1_000;

  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final Semaphore permits = new Semaphore(MAX_IN_FLIGHT);

  private OpenLoopLoad() {}

  /** A unit of work with a due time. */
  public interface Turn {
    /**
     * Begins the turn.
     *
     * @param number of the turn, from 0
     * @param due time at which it should begin, by {@link System#nanoTime}
     */
    void begin(int number, long due, ClosedLoopLoad.Next next);
  }

  /** Begins turns for this time, then waits until all have ended. */
  public static void run(double rate, Duration time, Turn turn) throws InterruptedException {
    new OpenLoopLoad().measure(rate, time, turn);
  }

  /** Returns the median latency in milliseconds, counted from when each turn was due. */
  static double medianMillis(double rate, Duration time, ClosedLoopLoad.Turn turn)
      throws InterruptedException {
    return latencyMillis(MEDIAN, rate, time, turn);
  }

  /** Returns this percentile of the latencies in milliseconds, counted as the median is. */
  static double latencyMillis(
      double percentile, double rate, Duration time, ClosedLoopLoad.Turn turn)
      throws InterruptedException {
    var latencies = new LatencyRecorder();
    run(
        rate,
        time,
        (number, due, next) ->
            turn.take(
                number,
                new ClosedLoopLoad.Next() {
                  @Override
                  public void done() {
                    latencies.recordSince(due);
                    next.done();
                  }

                  @Override
                  public void failed(Throwable cause) {
                    next.failed(cause);
                  }
                }));
    return latencies.histogram().getValueAtPercentile(percentile) / MICROS_PER_MILLI;
  }

  private void measure(double rate, Duration time, Turn turn) throws InterruptedException {
    var begin = System.nanoTime();
    var turns = (long) (rate * time.toMillis() / 1_000);
    var next = new Ending();
    for (var i = 0L; i < turns && failure.get() == null; i++) {
      var due = begin + (long) (i * NANOS / rate);
      LockSupport.parkNanos(due - System.nanoTime());
      permits.acquire();
      turn.begin((int) i, due, next);
    }
    if (!permits.tryAcquire(MAX_IN_FLIGHT, DRAIN_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          String.format(
              Locale.ROOT,
              "some turns of the bench did not end within %d s",
              DRAIN_TIMEOUT.toSeconds()));
    }
    if (failure.get() != null) {
      throw new IllegalStateException("a turn of the bench failed", failure.get());
    }
  }

  private final class Ending implements ClosedLoopLoad.Next {
    @Override
    public void done() {
      permits.release();
    }

    @Override
    public void failed(Throwable cause) {
      failure.compareAndSet(null, cause);
      permits.release();
    }
  }
}
