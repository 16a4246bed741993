package dev.hapax.bench;

import java.util.Locale;

/**
 * One row of the tables: a workload of a peer, at one number of callers.
 *
 * @param name what is done, without the peer
 * @param workload its name among the workloads of the peer
 * @param callers how many turns are under way at a time
 * @param isPaced whether its latency is also measured at half of its peak
 */
record Contestant(
    Peer peer, Kind kind, String name, String workload, int callers, boolean isPaced) {
  Contestant {
    if (callers < 1) {
      throw new IllegalArgumentException("callers must be at least 1 (was " + callers + ")");
    }
  }

  /** What is done; those of one kind stand beside each other. */
  enum Kind {
    ROW("one row"),
    KEY("begin and complete"),
    JOB("queued jobs"),
    ONE_STEP("runs of one step"),
    TEN_STEPS("runs of ten steps"),
    HOOK("start, signal, step, end");

    private final String title;

    Kind(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  String title() {
    return "%s: %s, %d in flight".formatted(peer.title(), name, callers);
  }

  /** Whether it is one of those that this text names. */
  boolean matches(String text) {
    var wanted = text.toLowerCase(Locale.ROOT);
    return title().toLowerCase(Locale.ROOT).contains(wanted);
  }
}
