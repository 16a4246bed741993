package dev.hapax.bootstrap.bench;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Turns begun at a given rate, whatever becomes of those before: what a caller waits for one. */
final class Paced {
  private static final int MOST = 10_000;
  private static final double NANOS = 1e9;

  private final Lanes.Turn turn;
  private final ConcurrentLinkedQueue<Long> latencies = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final Semaphore places = new Semaphore(MOST);

  private Paced(Lanes.Turn turn) {
    this.turn = turn;
  }

  /** The median latency, in milliseconds, counted from when each turn was to begin. */
  static double median(double rate, Duration time, Lanes.Turn turn) throws InterruptedException {
    return new Paced(turn).measure(rate, time);
  }

  private double measure(double rate, Duration time) throws InterruptedException {
    var begin = System.nanoTime();
    var turns = (long) (rate * time.toMillis() / 1_000);
    for (var i = 0L; i < turns && failure.get() == null; i++) {
      var due = begin + (long) (i * NANOS / rate);
      LockSupport.parkNanos(due - System.nanoTime());
      places.acquire();
      turn.take((int) i, new Timed(due));
    }
    places.acquire(MOST);
    if (failure.get() != null) {
      throw new IllegalStateException("a call of the bench failed", failure.get());
    }
    var sorted = latencies.stream().sorted().toList();
    return sorted.get(sorted.size() / 2) / 1e6;
  }

  private final class Timed implements Lanes.Next {
    private final long due;

    Timed(long due) {
      this.due = due;
    }

    @Override
    public void done() {
      latencies.add(System.nanoTime() - due);
      places.release();
    }

    @Override
    public void failed(Throwable cause) {
      failure.compareAndSet(null, cause);
      places.release();
    }
  }
}
