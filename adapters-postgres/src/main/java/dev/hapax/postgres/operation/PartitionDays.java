package dev.hapax.postgres.operation;

import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The days whose partitions will be needed: the next ones, and those as far ahead as results were
 * kept lately. A time to live of a week needs a new day a week ahead every midnight.
 */
final class PartitionDays {
  /** Results of the shortest time to live are kept until tomorrow; one more day for midnight. */
  private static final int ALWAYS = 2;

  private static final int REMEMBERED_DAYS = 2;

  private final Set<LocalDate> used = ConcurrentHashMap.newKeySet();
  private final Map<Long, LocalDate> lastUsed = new ConcurrentHashMap<>();

  /** Records that a result is kept until this day. Called for each result. */
  void use(LocalDate day) {
    used.add(day);
  }

  /** Returns the days that need a partition. Called by one thread. */
  SortedSet<LocalDate> of(LocalDate today) {
    used.removeIf(
        day -> {
          lastUsed.put(ChronoUnit.DAYS.between(today, day), today);
          return true;
        });
    lastUsed.values().removeIf(last -> last.isBefore(today.minusDays(REMEMBERED_DAYS)));
    var days = new TreeSet<LocalDate>();
    for (var ahead = 0; ahead <= ALWAYS; ahead++) {
      days.add(today.plusDays(ahead));
    }
    for (var ahead : lastUsed.keySet()) {
      days.add(today.plusDays(ahead));
      days.add(today.plusDays(ahead + 1));
    }
    return days.tailSet(today);
  }
}
