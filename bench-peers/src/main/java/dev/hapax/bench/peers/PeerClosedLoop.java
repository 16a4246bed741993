package dev.hapax.bench.peers;

import dev.hapax.bench.ClosedLoopLoad;
import dev.hapax.bench.LatencyRecorder;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Callers that each repeat a turn, one at a time: measures the peak rate of a peer. */
final class PeerClosedLoop {
  private static final Duration LONGEST_TURN = Duration.ofMinutes(1);

  private final LongAdder units = new LongAdder();
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final LatencyRecorder latencies = new LatencyRecorder();
  private final CountDownLatch ended;

  private PeerClosedLoop(int callers) {
    this.ended = new CountDownLatch(callers);
  }

  static LoadResult run(Workload workload, int callers, Duration time) throws InterruptedException {
    return new PeerClosedLoop(callers).measure(workload, callers, time);
  }

  private LoadResult measure(Workload workload, int callers, Duration time)
      throws InterruptedException {
    var begin = System.nanoTime();
    for (var caller = 0; caller < callers; caller++) {
      switch (workload) {
        case Workload.Concurrent(var turn) -> take(turn, caller);
        case Workload.Blocking(var work, var threads) ->
            threads.newThread(() -> repeat(work)).start();
      }
    }
    // the time is what is measured
    Thread.sleep(time);
    var count = units.sum();
    var nanos = System.nanoTime() - begin;
    over.set(true);
    if (!ended.await(LONGEST_TURN.toSeconds(), TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          String.format(
              Locale.ROOT,
              "%d turns did not end within %d s",
              ended.getCount(),
              LONGEST_TURN.toSeconds()));
    }
    if (failure.get() != null) {
      throw new IllegalStateException("a turn of the bench failed", failure.get());
    }
    return new LoadResult(count * 1e9 / nanos, units.sum(), latencies.histogram());
  }

  private boolean isOver() {
    return over.get() || failure.get() != null;
  }

  private void repeat(Workload.Work work) {
    try {
      while (!isOver()) {
        var begin = System.nanoTime();
        units.add(work.once());
        latencies.recordSince(begin);
      }
    } catch (Exception e) {
      failure.compareAndSet(null, e);
    } finally {
      ended.countDown();
    }
  }

  private void take(ClosedLoopLoad.Turn turn, int caller) {
    if (isOver()) {
      ended.countDown();
      return;
    }
    var begin = System.nanoTime();
    turn.take(
        caller,
        new ClosedLoopLoad.Next() {
          @Override
          public void done() {
            units.increment();
            latencies.recordSince(begin);
            take(turn, caller);
          }

          @Override
          public void failed(Throwable cause) {
            failure.compareAndSet(null, cause);
            ended.countDown();
          }
        });
  }
}
