package dev.hapax.bootstrap.bench;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Turns begun at a given rate, whatever becomes of those before. */
public final class OpenLoopLoad {
  private static final int MOST_UNDER_WAY = 10_000;
  private static final Duration LAST_WAIT = Duration.ofMinutes(2);
  private static final double NANOS = 1e9;

  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final Semaphore places = new Semaphore(MOST_UNDER_WAY);

  private OpenLoopLoad() {}

  /** What is begun at its time. */
  public interface Turn {
    /**
     * Begins it.
     *
     * @param number of the turn, from 0
     * @param due when it was to begin, by {@link System#nanoTime}
     */
    void begin(int number, long due, ClosedLoopLoad.Next next);
  }

  /** Begins turns for so long, and waits until all have ended. */
  public static void run(double rate, Duration time, Turn turn) throws InterruptedException {
    new OpenLoopLoad().measure(rate, time, turn);
  }

  /** The median latency, in milliseconds, counted from when each turn was to begin. */
  static double median(double rate, Duration time, ClosedLoopLoad.Turn turn)
      throws InterruptedException {
    var latencies = new ConcurrentLinkedQueue<Long>();
    run(
        rate,
        time,
        (number, due, next) ->
            turn.take(
                number,
                new ClosedLoopLoad.Next() {
                  @Override
                  public void done() {
                    latencies.add(System.nanoTime() - due);
                    next.done();
                  }

                  @Override
                  public void failed(Throwable cause) {
                    next.failed(cause);
                  }
                }));
    var sorted = latencies.stream().sorted().toList();
    return sorted.get(sorted.size() / 2) / 1e6;
  }

  private void measure(double rate, Duration time, Turn turn) throws InterruptedException {
    var begin = System.nanoTime();
    var turns = (long) (rate * time.toMillis() / 1_000);
    var next = new Ending();
    for (var i = 0L; i < turns && failure.get() == null; i++) {
      var due = begin + (long) (i * NANOS / rate);
      LockSupport.parkNanos(due - System.nanoTime());
      places.acquire();
      turn.begin((int) i, due, next);
    }
    if (!places.tryAcquire(MOST_UNDER_WAY, LAST_WAIT.toSeconds(), TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "some turns have not ended after %d s".formatted(LAST_WAIT.toSeconds()));
    }
    if (failure.get() != null) {
      throw new IllegalStateException("a turn of the bench failed", failure.get());
    }
  }

  private final class Ending implements ClosedLoopLoad.Next {
    @Override
    public void done() {
      places.release();
    }

    @Override
    public void failed(Throwable cause) {
      failure.compareAndSet(null, cause);
      places.release();
    }
  }
}
