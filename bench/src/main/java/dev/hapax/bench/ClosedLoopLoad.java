package dev.hapax.bench;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Callers that each repeat a turn, one at a time. */
public final class ClosedLoopLoad {
  private final int callers;
  private final Turn turn;
  private final LongAdder done = new LongAdder();
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final CountDownLatch ended;

  /** The work a caller repeats; it reports to {@link Next} when it ends. */
  public interface Turn {
    void take(int lane, Next next);
  }

  /** Callback for the end of a turn. */
  public interface Next {
    void done();

    void failed(Throwable cause);
  }

  private ClosedLoopLoad(int callers, Turn turn) {
    this.callers = callers;
    this.turn = turn;
    this.ended = new CountDownLatch(callers);
  }

  /** Returns the turns per second of this many callers. */
  static double measureRate(int callers, Duration time, Turn turn) throws InterruptedException {
    return new ClosedLoopLoad(callers, turn).measure(time);
  }

  private double measure(Duration time) throws InterruptedException {
    var begin = System.nanoTime();
    for (var lane = 0; lane < callers; lane++) {
      take(lane);
    }
    // the time is what is measured
    Thread.sleep(time);
    var count = done.sum();
    var nanos = System.nanoTime() - begin;
    over.set(true);
    ended.await();
    if (failure.get() != null) {
      throw new IllegalStateException("a turn of the bench failed", failure.get());
    }
    return count * 1e9 / nanos;
  }

  private void take(int lane) {
    if (over.get() || failure.get() != null) {
      ended.countDown();
      return;
    }
    turn.take(
        lane,
        new Next() {
          @Override
          public void done() {
            done.increment();
            take(lane);
          }

          @Override
          public void failed(Throwable cause) {
            failure.compareAndSet(null, cause);
            ended.countDown();
          }
        });
  }
}
