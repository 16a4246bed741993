package dev.hapax.application.run;

import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * The times at which runs are due, as far as this node knows. Of too many, it keeps the earliest;
 * the database has all.
 */
final class DueRunTimes {
  private static final int MAX = 100_000;

  /** A due time of a version of a run; version 0 = unknown. */
  private record Due(Instant at, RunId run, long version) {}

  private final ConcurrentMap<RunId, Due> byRun = new ConcurrentHashMap<>();
  private final NavigableSet<Due> byTime =
      new ConcurrentSkipListSet<>(
          Comparator.comparing(Due::at)
              .thenComparing(due -> due.run().workspace())
              .thenComparing(due -> due.run().uuid()));

  private final int max;

  DueRunTimes() {
    this(MAX);
  }

  DueRunTimes(int max) {
    this.max = max;
  }

  /** Sets the due time of this run. */
  void put(RunId run, Instant at) {
    put(run, at, 0);
  }

  /**
   * Sets the due time of this run, unless a later version is known: outcomes arrive in any order.
   */
  void put(Run run, Instant at) {
    put(run.id(), at, run.version());
  }

  private void put(RunId run, Instant at, long version) {
    keep(run, at, version);
    while (byRun.size() > max) {
      var latest = byTime.descendingIterator();
      if (latest.hasNext()) {
        remove(latest.next().run(), Long.MAX_VALUE);
      }
    }
  }

  int size() {
    return byRun.size();
  }

  private void keep(RunId run, Instant at, long version) {
    byRun.compute(
        run,
        (_, before) -> {
          if (before == null) {
            return added(new Due(at, run, version));
          }
          // a load may have begun before the version that is known; early is harmless
          var isOlder = version == 0 ? !at.isBefore(before.at()) : version < before.version();
          if (before.version() > 0 && isOlder) {
            return before;
          }
          byTime.remove(before);
          return added(new Due(at, run, Math.max(version, before.version())));
        });
  }

  private Due added(Due due) {
    byTime.add(due);
    return due;
  }

  /** Removes this run, unless a later version is known. */
  void remove(Run run) {
    remove(run.id(), run.version());
  }

  private void remove(RunId run, long version) {
    byRun.computeIfPresent(
        run,
        (_, before) -> {
          if (version < before.version()) {
            return before;
          }
          byTime.remove(before);
          return null;
        });
  }

  /** Removes and returns a bounded number of runs that are due. */
  List<RunId> take(Instant now, int atMost) {
    var taken = new ArrayList<RunId>();
    for (var due : byTime) {
      if (taken.size() >= atMost || now.isBefore(due.at())) {
        break;
      }
      taken.add(due.run());
    }
    taken.forEach(run -> remove(run, Long.MAX_VALUE));
    return taken;
  }
}
