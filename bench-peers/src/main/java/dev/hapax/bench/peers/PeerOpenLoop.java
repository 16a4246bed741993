package dev.hapax.bench.peers;

import dev.hapax.bench.ClosedLoopLoad;
import dev.hapax.bench.LatencyRecorder;
import dev.hapax.bench.OpenLoopLoad;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/** Begins turns at a given rate and measures each latency from when its turn was due. */
final class PeerOpenLoop {
  private static final double NANOS = 1e9;

  private final LongAdder units = new LongAdder();
  private final LatencyRecorder latencies = new LatencyRecorder();

  private PeerOpenLoop() {}

  /** Runs the load; blocking work gets one thread for each caller. */
  static LoadResult run(Workload workload, int callers, double rate, Duration time)
      throws InterruptedException {
    var load = new PeerOpenLoop();
    return switch (workload) {
      case Workload.Concurrent(var turn) ->
          load.measure(rate, time, (_, due, next) -> turn.take(0, load.new Ending(due, next)));
      case Workload.Blocking(var work, var factory) -> {
        try (var threads = Executors.newFixedThreadPool(callers, factory)) {
          yield load.measure(
              rate, time, (_, due, next) -> submit(work, load.new Ending(due, next), threads));
        }
      }
    };
  }

  private LoadResult measure(double rate, Duration time, OpenLoopLoad.Turn turn)
      throws InterruptedException {
    var begin = System.nanoTime();
    OpenLoopLoad.run(rate, time, turn);
    var nanos = System.nanoTime() - begin;
    return new LoadResult(units.sum() * NANOS / nanos, units.sum(), latencies.histogram());
  }

  private static void submit(Workload.Work work, Ending ending, Executor threads) {
    threads.execute(
        () -> {
          try {
            work.once();
            ending.done();
          } catch (Exception e) {
            ending.failed(e);
          }
        });
  }

  private final class Ending implements ClosedLoopLoad.Next {
    private final long due;
    private final ClosedLoopLoad.Next next;

    Ending(long due, ClosedLoopLoad.Next next) {
      this.due = due;
      this.next = next;
    }

    @Override
    public void done() {
      latencies.recordSince(due);
      units.increment();
      next.done();
    }

    @Override
    public void failed(Throwable cause) {
      next.failed(cause);
    }
  }
}
