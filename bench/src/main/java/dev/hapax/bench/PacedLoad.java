package dev.hapax.bench;

import dev.hapax.bootstrap.bench.Lanes;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Turns begun at a given rate. Each latency counts from when its turn was due, late or not. */
final class PacedLoad {
  private static final int MOST_UNDER_WAY = 10_000;
  private static final Duration LAST_WAIT = Duration.ofMinutes(2);
  private static final double NANOS = 1e9;

  private final LongAdder units = new LongAdder();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final LatencyRecorder latencies = new LatencyRecorder();
  private final Semaphore places = new Semaphore(MOST_UNDER_WAY);

  private PacedLoad() {}

  /** Blocking work is spread over as many threads as there are callers. */
  static LoadResult run(Workload workload, int callers, double rate, Duration time)
      throws InterruptedException {
    var load = new PacedLoad();
    return switch (workload) {
      case Workload.Concurrent(var turn) ->
          load.measure(rate, time, due -> turn.take(0, load.new Ending(due)));
      case Workload.Blocking(var work, var factory) -> {
        try (var threads = Executors.newFixedThreadPool(callers, factory)) {
          yield load.measure(rate, time, due -> load.submit(work, due, threads));
        }
      }
    };
  }

  /** Begins a turn that was due then. */
  private interface Begin {
    void at(long due);
  }

  private LoadResult measure(double rate, Duration time, Begin turn) throws InterruptedException {
    var begin = System.nanoTime();
    var turns = (long) (rate * time.toMillis() / 1_000);
    for (var i = 0L; i < turns && failure.get() == null; i++) {
      var due = begin + (long) (i * NANOS / rate);
      LockSupport.parkNanos(due - System.nanoTime());
      places.acquire();
      turn.at(due);
    }
    if (!places.tryAcquire(MOST_UNDER_WAY, LAST_WAIT.toSeconds(), TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "some turns have not ended after %d s".formatted(LAST_WAIT.toSeconds()));
    }
    if (failure.get() != null) {
      throw new IllegalStateException("a turn of the bench failed", failure.get());
    }
    var nanos = System.nanoTime() - begin;
    return new LoadResult(units.sum() * NANOS / nanos, units.sum(), latencies.recorded());
  }

  private void submit(Workload.Work work, long due, Executor threads) {
    threads.execute(
        () -> {
          var ending = new Ending(due);
          try {
            work.once();
            ending.done();
          } catch (Exception e) {
            ending.failed(e);
          }
        });
  }

  private final class Ending implements Lanes.Next {
    private final long due;

    Ending(long due) {
      this.due = due;
    }

    @Override
    public void done() {
      latencies.since(due);
      units.increment();
      places.release();
    }

    @Override
    public void failed(Throwable cause) {
      failure.compareAndSet(null, cause);
      places.release();
    }
  }
}
