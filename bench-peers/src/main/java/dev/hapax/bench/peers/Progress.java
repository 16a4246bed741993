package dev.hapax.bench.peers;

import java.io.PrintWriter;
import java.util.Locale;

/** Prints the progress of the bench to standard error. */
record Progress(PrintWriter out) {

  void say(String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
    out.flush();
  }

  void begin(String phase, Contestant contestant) {
    out.print(String.format(Locale.ROOT, "%s: %-60s", phase, contestant.title()));
    out.flush();
  }

  void end(Observation observation) {
    var result = observation.result();
    say(
        " %,10.0f/s  p50 %,9.2f ms",
        result.rate(), result.latencies().getValueAtPercentile(50) / 1_000.0);
  }
}
