package dev.hapax.application.run;

import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;

/** When runs have to be looked at; of too many, those that are soon. The database has all. */
final class DueRuns {
  private static final int MAX = 100_000;

  private record Due(Instant at, RunId run) {}

  private final ConcurrentMap<RunId, Due> byRun = new ConcurrentHashMap<>();
  private final NavigableSet<Due> byTime =
      new ConcurrentSkipListSet<>(
          Comparator.comparing(Due::at)
              .thenComparing(due -> due.run().workspace())
              .thenComparing(due -> due.run().uuid()));

  private final int max;

  DueRuns() {
    this(MAX);
  }

  DueRuns(int max) {
    this.max = max;
  }

  /** Remembers when to look at this run, and no other time. */
  void put(RunId run, Instant at) {
    keep(run, at);
    while (byRun.size() > max) {
      var latest = byTime.descendingIterator();
      if (latest.hasNext()) {
        remove(latest.next().run());
      }
    }
  }

  int size() {
    return byRun.size();
  }

  private void keep(RunId run, Instant at) {
    byRun.compute(
        run,
        (_, before) -> {
          var due = new Due(at, run);
          if (due.equals(before)) {
            return before;
          }
          if (before != null) {
            byTime.remove(before);
          }
          byTime.add(due);
          return due;
        });
  }

  void remove(RunId run) {
    byRun.computeIfPresent(
        run,
        (_, before) -> {
          byTime.remove(before);
          return null;
        });
  }

  /** Takes out those that are due, a bounded number of them. */
  List<RunId> take(Instant now, int atMost) {
    var taken = new ArrayList<RunId>();
    for (var due : byTime) {
      if (taken.size() >= atMost || now.isBefore(due.at())) {
        break;
      }
      taken.add(due.run());
    }
    taken.forEach(this::remove);
    return taken;
  }
}
