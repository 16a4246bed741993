package dev.hapax.bench;

import dev.hapax.bootstrap.bench.ClosedLoopLoad;
import java.util.concurrent.ThreadFactory;

/** One kind of work of a peer, which its callers do again and again. */
sealed interface Workload {

  /** Work that takes no thread while it is under way. */
  record Concurrent(ClosedLoopLoad.Turn turn) implements Workload {}

  /** Work that keeps the thread of its caller, which is one of these. */
  record Blocking(Work work, ThreadFactory threads) implements Workload {}

  /** Does it once. */
  interface Work {
    /** Returns how many units that was. */
    int once() throws Exception;
  }

  /** Work of one unit. */
  interface Single {
    void once() throws Exception;
  }

  static Workload concurrent(ClosedLoopLoad.Turn turn) {
    return new Concurrent(turn);
  }

  /** Work of several units on a thread of the system. */
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
