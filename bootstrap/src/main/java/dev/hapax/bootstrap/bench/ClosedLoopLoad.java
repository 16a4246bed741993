package dev.hapax.bootstrap.bench;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A number of callers, each with one call under way at a time. */
public final class ClosedLoopLoad {
  private final int number;
  private final Turn turn;
  private final LongAdder done = new LongAdder();
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final CountDownLatch ended;

  /** What one caller does again and again; it calls {@link Next} when it has done it once. */
  public interface Turn {
    void take(int lane, Next next);
  }

  /** How a turn ends. */
  public interface Next {
    void done();

    void failed(Throwable cause);
  }

  private ClosedLoopLoad(int number, Turn turn) {
    this.number = number;
    this.turn = turn;
    this.ended = new CountDownLatch(number);
  }

  /** How many turns a second so many callers took. */
  static double rate(int number, Duration time, Turn turn) throws InterruptedException {
    return new ClosedLoopLoad(number, turn).measure(time);
  }

  private double measure(Duration time) throws InterruptedException {
    var begin = System.nanoTime();
    for (var lane = 0; lane < number; lane++) {
      take(lane);
    }
    // the time is what is measured
    Thread.sleep(time);
    var count = done.sum();
    var nanos = System.nanoTime() - begin;
    over.set(true);
    ended.await();
    if (failure.get() != null) {
      throw new IllegalStateException("a call of the bench failed", failure.get());
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
