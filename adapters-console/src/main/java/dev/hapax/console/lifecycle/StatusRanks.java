package dev.hapax.console.lifecycle;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts statuses into columns, so that most steps lead to the right: the column of a status is the
 * longest way to it, without the steps that close a circle.
 */
final class StatusRanks {
  private final Map<String, Set<String>> targets;
  private final Map<String, Integer> ranks = new HashMap<>();
  private final Set<String> entered = new HashSet<>();
  private final List<String> left = new ArrayList<>();
  private final Map<String, Set<String>> forward = new HashMap<>();

  private StatusRanks(Map<String, Set<String>> targets) {
    this.targets = targets;
  }

  /**
   * Returns the column of each status, counted from 0.
   *
   * @param statuses in the order in which they were written
   * @param targets where the steps of a status lead to
   */
  static Map<String, Integer> of(List<String> statuses, Map<String, Set<String>> targets) {
    var ranks = new StatusRanks(targets);
    statuses.forEach(ranks::visit);
    ranks.left.reversed().forEach(ranks::rank);
    return ranks.ranks;
  }

  private void visit(String status) {
    if (!entered.add(status)) {
      return;
    }
    for (var target : targets.getOrDefault(status, Set.of())) {
      // one that is entered and not left leads back to here
      if (!entered.contains(target) || left.contains(target)) {
        forward.computeIfAbsent(status, _ -> new HashSet<>()).add(target);
      }
      visit(target);
    }
    left.add(status);
  }

  private void rank(String status) {
    var own = ranks.computeIfAbsent(status, _ -> 0);
    for (var target : forward.getOrDefault(status, Set.of())) {
      ranks.merge(target, own + 1, Math::max);
    }
  }
}
