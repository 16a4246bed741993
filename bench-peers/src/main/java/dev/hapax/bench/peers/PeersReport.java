package dev.hapax.bench.peers;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** Prints the results of a case as Markdown tables. */
record PeersReport(PrintWriter out) {
  private static final String NAME = "| %-56s |";
  private static final double MICROS_PER_MILLI = 1_000;

  void print(CaseResult result) {
    say("%n## %s", result.title());
    rates(result);
    costs(result.all());
    ratios(result);
    halfLoad(result.all());
    oneRate(result.all());
    out.flush();
  }

  private void rates(CaseResult result) {
    say("");
    header("contestant", "median/s", "least", "most", "x R1", "p50 ms", "p99 ms");
    for (var series : result.all()) {
      var rate = series.rate();
      var latencies = series.latencies();
      say(
          NAME + " %,9.0f | %,9.0f | %,9.0f | %9.2f | %9.2f | %9.2f |",
          series.contestant().title(),
          rate.median(),
          rate.least(),
          rate.most(),
          series.ratioTo(result.baseline()).median(),
          millis(latencies, 50),
          millis(latencies, 99));
    }
  }

  private void costs(List<Series> all) {
    say(
        "%ncost of one unit: write-ahead log, and microseconds of CPU in each process;"
            + " resident memory of the server; ? = unknown");
    say("");
    header("contestant", "WAL bytes", "client", "server", "postgres", "total", "server MiB");
    for (var series : all) {
      var isServerKnown = !Double.isNaN(median(series, Usage::server));
      say(
          NAME + " %9s | %9s | %9s | %9s | %9s | %9s |",
          series.contestant().title(),
          figure(median(series, Usage::walBytes)),
          figure(median(series, Usage::client)),
          figure(median(series, Usage::server)),
          figure(median(series, Usage::postgres)),
          figure(median(series, Usage::knownTime)) + (isServerKnown ? "" : " + ?"),
          figure(series.spread(Observation::serverMemory).median()));
    }
  }

  private static String figure(double figure) {
    return Double.isNaN(figure) ? "?" : String.format(Locale.ROOT, "%,.0f", figure);
  }

  private static double median(Series series, ToDoubleFunction<Usage> figure) {
    return series.spread(each -> figure.applyAsDouble(each.perUnit())).median();
  }

  private void ratios(CaseResult result) {
    say("%nratios within a round");
    say("");
    header("ratio", "median", "least", "most");
    for (var comparison : Contestants.COMPARISONS) {
      var series = result.of(comparison.contestant());
      var other = result.of(comparison.to());
      if (series.isPresent() && other.isPresent()) {
        var ratio = series.get().ratioTo(other.get());
        say(
            "| %-94s | %9.2f | %9.2f | %9.2f |",
            comparison.contestant().title() + " to " + comparison.to().title(),
            ratio.median(),
            ratio.least(),
            ratio.most());
      }
    }
  }

  private void halfLoad(List<Series> all) {
    say("%nlatencies in ms at half of each one's own peak");
    say("");
    header("contestant", "rate/s", "p50", "p90", "p99", "p99.9");
    for (var series : all) {
      series
          .pacedRate()
          .ifPresent(
              rate -> {
                var latencies = series.pacedLatencies();
                say(
                    NAME + " %,9.0f | %9.2f | %9.2f | %9.2f | %9.2f |",
                    series.contestant().title(),
                    rate.median(),
                    millis(latencies, 50),
                    millis(latencies, 90),
                    millis(latencies, 99),
                    millis(latencies, 99.9));
              });
    }
  }

  private void oneRate(List<Series> all) {
    say(
        "%nlatencies in ms from start to end, at half of the peak of DBOS; beside it those of an"
            + " INSERT at the same moments");
    say("");
    header("contestant", "p50", "p99", "p99.9", "INSERT p50", "p99", "p99.9");
    for (var series : all) {
      series
          .latenciesAtOneRate()
          .ifPresent(
              latencies -> {
                var probes = series.probeLatencies().orElse(latencies);
                say(
                    NAME + " %9.2f | %9.2f | %9.2f | %9.2f | %9.2f | %9.2f |",
                    series.contestant().title(),
                    millis(latencies, 50),
                    millis(latencies, 99),
                    millis(latencies, 99.9),
                    millis(probes, 50),
                    millis(probes, 99),
                    millis(probes, 99.9));
              });
    }
  }

  private static double millis(Histogram latencies, double percentile) {
    return latencies.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
  }

  private void header(String first, String... others) {
    say("| %s | %s |", first, String.join(" | ", others));
    say("|---|%s", "--:|".repeat(others.length));
  }

  private void say(String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
  }
}
