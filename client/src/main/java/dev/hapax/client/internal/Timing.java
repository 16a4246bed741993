package dev.hapax.client.internal;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** The client's monotonic clock, its timer and its callback executor. */
public interface Timing {

  /** Nanoseconds since some fixed point; only differences have a meaning. */
  long nanos();

  /** Runs a short, non-blocking task once, after at least {@code delay}. */
  Timer after(Duration delay, Runnable task);

  /** Runs short tasks of the client, one after the other. */
  Executor callbacks();

  /** Runs listeners of the user, which may block, so that they delay no renewal. */
  Executor listeners();

  /** Lets this thread pause. */
  default void sleep(Duration pause) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(pause.toNanos());
  }

  /** A scheduled task. */
  interface Timer {
    void cancel();
  }
}
