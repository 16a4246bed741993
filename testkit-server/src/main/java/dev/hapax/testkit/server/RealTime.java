package dev.hapax.testkit.server;

import java.util.concurrent.locks.LockSupport;

/** The time in which threads act, as opposed to that which Hapax sees. */
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

  /** Only differences mean something. */
  long nanos();

  /** Lets other threads act for about so long. */
  void pause(long nanos);
}
