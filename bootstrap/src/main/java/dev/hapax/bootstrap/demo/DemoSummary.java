package dev.hapax.bootstrap.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The result of the demo.
 *
 * @param orders all orders that were requested
 * @param runs number of times the order service began to charge
 * @param charges charges by order, from the ledger of the payment provider
 * @param stored stored results by step, from the history of the run
 * @param owners number of runs of one order that completed
 * @param receipts number of receipts for the order that the clerks collected
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
   * Returns the violations: orders not charged once, steps not stored once, and more than one run
   * or receipt of an order.
   */
  List<String> problems() {
    var problems = new ArrayList<String>();
    var all = new TreeSet<>(orders);
    all.addAll(charges.keySet());
    for (var order : all) {
      int times = charges.getOrDefault(order, 0);
      if (!orders.contains(order)) {
        problems.add(order + " was charged without an order");
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
      problems.add(owners + " runs of one order completed");
    }
    if (receipts != 1) {
      problems.add(receipts + " receipts were sent for one order");
    }
    return problems;
  }

  /** Prints the summary and returns whether every order was charged exactly once. */
  boolean show(DemoOutput screen) {
    screen.heading("Summary");
    screen.say("%-8s  %-9s  %-13s  %s".formatted("orders", "requests", "handler runs", "charges"));
    screen.say(
        String.format(
            Locale.ROOT,
            "%6d  %10d  %14d  %9d",
            orders.size(),
            requests,
            runs,
            charges.values().stream().mapToInt(Integer::intValue).sum()));
    var problems = problems();
    if (problems.isEmpty()) {
      screen.space();
      screen.say("operations  duplicates got the stored receipt and charged nothing");
      screen.say(
          String.format(
              Locale.ROOT,
              "runs        %d steps were stored once each, despite the killed worker",
              stored.size()));
      screen.say("hooks       one run at a time owned the order");
      screen.say("claims      one clerk at a time collected, and one receipt was sent");
      screen.space();
      screen.good("Every order was charged exactly once.");
      return true;
    }
    screen.bad("NOT every order was charged exactly once: " + String.join("; ", problems) + ".");
    return false;
  }
}
