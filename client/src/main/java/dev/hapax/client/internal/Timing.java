package dev.hapax.client.internal;

import java.time.Duration;
import java.util.concurrent.Executor;

/** The client's clock, timer and place for callbacks. The clock is monotonic, never the wall's. */
public interface Timing {

  /** Nanoseconds since some fixed point; only differences mean something. */
  long nanos();

  /** Runs a short, non-blocking task once, after at least {@code delay}. */
  Timer after(Duration delay, Runnable task);

  /**
   * Where code of the user runs that was not called by the user, so that it delays no heartbeat.
   */
  Executor callbacks();

  /** A task that has been scheduled. */
  interface Timer {
    void cancel();
  }
}
