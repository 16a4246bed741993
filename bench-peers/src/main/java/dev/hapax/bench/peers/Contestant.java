package dev.hapax.bench.peers;

import java.util.Locale;

/**
 * One row of the tables: a workload of a peer, at one number of callers.
 *
 * @param name title of the work, without the peer
 * @param workload name in {@link Peer.Workloads}
 * @param callers number of turns in flight
 * @param isPaced whether latency is also measured at half of the peak rate
 */
record Contestant(
    Peer peer, Kind kind, String name, String workload, int callers, boolean isPaced) {
  Contestant {
    if (callers < 1) {
      throw new IllegalArgumentException("callers must be at least 1 (was " + callers + ")");
    }
  }

  /** A kind of work; contestants of one kind are compared with each other. */
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
    return String.format(Locale.ROOT, "%s: %s, %d in flight", peer.title(), name, callers);
  }

  /** Returns whether the title contains this text, in any case. */
  boolean matches(String text) {
    var wanted = text.toLowerCase(Locale.ROOT);
    return title().toLowerCase(Locale.ROOT).contains(wanted);
  }
}
