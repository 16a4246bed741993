package dev.hapax.bench.peers;

import dev.hapax.bench.ClosedLoopLoad;
import java.util.concurrent.ThreadFactory;

/** One kind of work of a peer, which its callers repeat. */
sealed interface Workload {

  /** Work that occupies no thread while it is in flight. */
  record Concurrent(ClosedLoopLoad.Turn turn) implements Workload {}

  /** Work that blocks the thread of its caller. */
  record Blocking(Work work, ThreadFactory threads) implements Workload {}

  /** Work on the current thread. */
  interface Work {
    /** Does the work once and returns the number of units. */
    int once() throws Exception;
  }

  /** Work of one unit. */
  interface Single {
    void once() throws Exception;
  }

  static Workload concurrent(ClosedLoopLoad.Turn turn) {
    return new Concurrent(turn);
  }

  /** Work of several units on a platform thread. */
  static Workload blocking(Work work) {
    return new Blocking(work, Thread.ofPlatform().factory());
  }

  /** Work of one unit on a virtual thread. */
  static Workload onVirtualThreads(Single single) {
    return new Blocking(work(single), Thread.ofVirtual().factory());
  }

  /** Work of one unit. */
  static Work work(Single single) {
    return () -> {
      single.once();
      return 1;
    };
  }
}
