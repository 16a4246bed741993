package dev.hapax.bootstrap.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Finds the known names that a mistyped one may mean. */
public final class SimilarNames {
  private static final int MOST_EDITS = 3;

  private SimilarNames() {}

  /** Returns the known names with few differences, the nearest first. */
  public static List<String> of(String name, Collection<String> known) {
    return known.stream()
        .filter(candidate -> edits(name, candidate) <= MOST_EDITS)
        .sorted(Comparator.comparingInt(candidate -> edits(name, candidate)))
        .toList();
  }

  /** Returns the Levenshtein distance. */
  private static int edits(String from, String to) {
    var above = new int[to.length() + 1];
    for (int column = 0; column <= to.length(); column++) {
      above[column] = column;
    }
    for (int row = 1; row <= from.length(); row++) {
      var current = new int[to.length() + 1];
      current[0] = row;
      for (int column = 1; column <= to.length(); column++) {
        int replaced = above[column - 1] + (from.charAt(row - 1) == to.charAt(column - 1) ? 0 : 1);
        current[column] = Math.min(replaced, Math.min(above[column], current[column - 1]) + 1);
      }
      above = current;
    }
    return above[to.length()];
  }
}
