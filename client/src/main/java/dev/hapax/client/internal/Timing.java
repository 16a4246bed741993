package dev.hapax.client.internal;

import java.time.Duration;
import java.util.concurrent.Executor;

/** The client's monotonic clock, its timer and its callback executor. */
public interface Timing {

  /** Nanoseconds since some fixed point; only differences have a meaning. */
  long nanos();

  /** Runs a short, non-blocking task once, after at least {@code delay}. */
  Timer after(Duration delay, Runnable task);

  /** The executor of user callbacks, so that they delay no renewal. */
  Executor callbacks();

  /** A scheduled task. */
  interface Timer {
    void cancel();
  }
}
