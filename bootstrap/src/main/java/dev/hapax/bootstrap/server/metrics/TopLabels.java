package dev.hapax.bootstrap.server.metrics;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Bounds the label values of a counter: the first {@link #MAX} combinations are kept, and later
 * ones become {@link #OTHER}, since a counter must not change its labels.
 */
final class TopLabels {
  static final int MAX = 100;
  static final String OTHER = "other";

  private final Set<List<String>> kept = ConcurrentHashMap.newKeySet();

  /** Returns these values, or {@code other} for each of them. */
  String[] of(String... values) {
    var wanted = List.of(values);
    if (kept.contains(wanted)) {
      return values;
    }
    synchronized (this) {
      if (kept.size() < MAX) {
        kept.add(wanted);
        return values;
      }
    }
    var other = new String[values.length];
    Arrays.fill(other, OTHER);
    return other;
  }
}
