package dev.hapax.bench;

import dev.hapax.bootstrap.bench.Lanes;

/** One kind of work of a peer, which its callers do again and again. */
sealed interface Workload {

  /** Work that takes no thread while it is under way. */
  record Concurrent(Lanes.Turn turn) implements Workload {}

  /** Work that keeps the thread of its caller. */
  record Blocking(Work work) implements Workload {}

  /** Does it once. */
  interface Work {
    /** Returns how many units that was. */
    int once() throws Exception;
  }

  /** Work of one unit. */
  interface Single {
    void once() throws Exception;
  }

  static Workload concurrent(Lanes.Turn turn) {
    return new Concurrent(turn);
  }

  static Workload blocking(Single single) {
    return new Blocking(
        () -> {
          single.once();
          return 1;
        });
  }
}
