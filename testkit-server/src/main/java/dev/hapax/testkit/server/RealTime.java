package dev.hapax.testkit.server;

import java.util.concurrent.locks.LockSupport;

/** Real time, in which threads run, as opposed to the test's clock. */
interface RealTime {
  RealTime SYSTEM =
      new RealTime() {
        @Override
        public long nanos() {
          return System.nanoTime();
        }

        @Override
        public void pause(long nanos) {
          LockSupport.parkNanos(nanos);
        }
      };

  /** Returns nanoseconds; only differences are meaningful. */
  long nanos();

  /** Lets other threads run for about this time. */
  void pause(long nanos);
}
