package dev.hapax.bootstrap.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What came of it all.
 *
 * @param orders every order that somebody sent
 * @param runs how often the order service set out to charge
 * @param charges how often each order was charged, by the payment provider's book
 * @param stored how often the result of each step was stored, by the history of the run
 * @param owners how many of the runs that wanted one order got to their end
 * @param receipts how many followed from the one order that clerks collected
 */
record DemoSummary(
    Set<String> orders,
    int requests,
    int runs,
    Map<String, Integer> charges,
    Map<String, Integer> stored,
    int owners,
    int receipts) {

  /**
   * Every order that was not charged exactly once, every step that was not stored so, and whether
   * one run owned an order and one receipt followed from another.
   */
  List<String> problems() {
    var problems = new ArrayList<String>();
    var all = new TreeSet<>(orders);
    all.addAll(charges.keySet());
    for (var order : all) {
      int times = charges.getOrDefault(order, 0);
      if (!orders.contains(order)) {
        problems.add(order + " was charged, but nobody ordered it");
      } else if (times != 1) {
        problems.add(
            times == 0 ? order + " was not charged" : order + " was charged " + times + " times");
      }
    }
    stored.forEach(
        (step, times) -> {
          if (times != 1) {
            problems.add("the result of " + step + " was stored " + times + " times");
          }
        });
    if (owners != 1) {
      problems.add(owners + " runs of one order got to their end");
    }
    if (receipts != 1) {
      problems.add(receipts + " receipts were sent for one order");
    }
    return problems;
  }

  /** Shows it; whether every order was charged exactly once. */
  boolean show(DemoOutput screen) {
    screen.heading("Summary");
    screen.say("%-8s  %-9s  %-13s  %s".formatted("orders", "requests", "handler runs", "charges"));
    screen.say(
        "%6d  %10d  %14d  %9d"
            .formatted(
                orders.size(),
                requests,
                runs,
                charges.values().stream().mapToInt(Integer::intValue).sum()));
    var problems = problems();
    if (problems.isEmpty()) {
      screen.space();
      screen.say("operations  a duplicate got the receipt there was, and charged nothing");
      screen.say(
          "runs        %d steps were stored once each, whoever was killed"
              .formatted(stored.size()));
      screen.say("hooks       one run owned the order, of all that wanted it");
      screen.say("claims      one clerk collected at a time, and one receipt followed");
      screen.space();
      screen.good("Every order was charged exactly once.");
      return true;
    }
    screen.bad("NOT every order was charged exactly once: " + String.join("; ", problems) + ".");
    return false;
  }
}
