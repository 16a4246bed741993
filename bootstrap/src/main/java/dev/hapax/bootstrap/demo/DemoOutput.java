package dev.hapax.bootstrap.demo;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Prints the demo. */
final class DemoOutput {
  private static final String BOLD = "1";
  private static final String FAINT = "2";
  private static final String GREEN = "32";
  private static final String RED = "31";
  private static final String ROW = "  %-11s  %-36s  %s";

  private final PrintWriter out;
  private final boolean colours;

  DemoOutput(PrintWriter out, boolean colours) {
    this.out = out;
    this.colours = colours;
  }

  void heading(String text) {
    print("\n" + coloured(BOLD, text) + "\n");
  }

  void say(String text) {
    print(text.indent(2));
  }

  void space() {
    print("\n");
  }

  void tableHead() {
    tableHead("caller", "request", "response");
  }

  void tableHead(String who, String action, String result) {
    print("\n" + coloured(FAINT, ROW.formatted(who, action, result)) + "\n");
  }

  void row(String who, String action, Object result) {
    print(ROW.formatted(who, action, result).stripTrailing() + "\n");
  }

  /** Prints an event between the rows. */
  void event(String text) {
    print(coloured(FAINT, "  ... " + text) + "\n");
  }

  void good(String text) {
    print(coloured(GREEN, text.indent(2).stripTrailing()) + "\n");
  }

  void bad(String text) {
    print(coloured(RED, text.indent(2).stripTrailing()) + "\n");
  }

  /** Prints how often an order was charged. */
  void result(ChargeLedger ledger, Order order) {
    good(account(ledger, order));
  }

  /** Prints how often an order was charged, and how often each step was stored. */
  void result(ChargeLedger ledger, Order order, Map<String, Integer> stored) {
    var steps =
        stored.entrySet().stream()
            .map(step -> step.getKey() + " " + times(step.getValue()))
            .collect(Collectors.joining(", "));
    good(account(ledger, order) + "; stored: " + steps);
  }

  private static String account(ChargeLedger ledger, Order order) {
    var id = order.id();
    int late = ledger.tooLate(id);
    return "= the handler ran %s, %s was charged %s%s"
        .formatted(
            times(ledger.runs(id)),
            id,
            times(ledger.charges(id)),
            late == 0 ? "" : ", and rejected " + times(late) + " for a low fence");
  }

  private static String times(int count) {
    return switch (count) {
      case 1 -> "once";
      case 2 -> "twice";
      default -> count + " times";
    };
  }

  /** Does the work, and prints what it is and how long it took. */
  <T> T step(String what, Callable<T> work) throws Exception {
    print("  " + what + " ...");
    long began = System.nanoTime();
    var ticking = Thread.ofVirtual().start(this::tick);
    try {
      return work.call();
    } finally {
      ticking.interrupt();
      ticking.join();
      print(String.format(Locale.ROOT, " %.1f s%n", (System.nanoTime() - began) / 1e9));
    }
  }

  private void tick() {
    try {
      while (true) {
        TimeUnit.SECONDS.sleep(1);
        print(".");
      }
    } catch (InterruptedException _) {
      // the work is done
    }
  }

  private String coloured(String colour, String text) {
    return colours ? "\u001b[" + colour + "m" + text + "\u001b[0m" : text;
  }

  private synchronized void print(String text) {
    out.print(text);
    out.flush();
  }
}
