package dev.hapax.bench.peers;

import dev.hapax.bench.Spread;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** Latencies by percentile at half of each one's own peak, both axes logarithmic. */
final class LatencyChart {
  private static final int WIDTH = 860;
  private static final int HEIGHT = 440;
  private static final int LEFT = 70;
  private static final int RIGHT = 320;
  private static final int TOP = 50;
  private static final int BOTTOM = 50;
  private static final int LINE = 20;
  private static final double FIRST = 50;
  private static final double LAST = 99.9;
  private static final double[] MARKS = {50, 90, 99, 99.9};
  private static final double STEP = 0.02;
  private static final double MICROS_PER_MILLI = 1_000;

  private final Svg svg = new Svg(WIDTH);
  private final List<Curve> all;
  private final double lowest;
  private final double highest;

  private LatencyChart(List<Curve> all) {
    this.all = all;
    this.lowest = Math.floor(all.stream().mapToDouble(each -> each.decade(FIRST)).min().orElse(0));
    this.highest = Math.ceil(all.stream().mapToDouble(each -> each.decade(LAST)).max().orElse(1));
  }

  static String of(CaseResult result) {
    var curves =
        result.all().stream()
            .flatMap(series -> series.pacedRate().map(rate -> Curve.of(series, rate)).stream())
            .toList();
    return new LatencyChart(curves).draw("Latency at half of the peak; " + result.title());
  }

  private String draw(String title) {
    svg.text("title", 12, 24, title);
    for (var decade = (int) lowest; decade <= highest; decade++) {
      svg.line("grid", LEFT, y(decade), WIDTH - RIGHT, y(decade));
      svg.text("note", "end", LEFT - 8, y(decade) + 4, milliseconds(decade));
    }
    for (var mark : MARKS) {
      svg.line("grid", x(mark), TOP, x(mark), HEIGHT - BOTTOM);
      svg.text("note", "middle", x(mark), HEIGHT - BOTTOM + 18, "p" + number(mark));
    }
    // the names stand in the order of the ends of their lines
    var byEnd =
        all.stream()
            .sorted((one, other) -> Double.compare(other.decade(LAST), one.decade(LAST)))
            .toList();
    double nameY = TOP;
    for (var curve : byEnd) {
      draw(curve, nameY);
      nameY += 2 * LINE;
    }
    return svg.picture(HEIGHT, title);
  }

  private void draw(Curve curve, double nameY) {
    var style = Svg.style(curve.contestant().peer());
    var points = new StringBuilder();
    for (var nines = nines(FIRST); nines <= nines(LAST) + STEP / 2; nines += STEP) {
      var percentile = 100 - 100 * Math.pow(10, -nines);
      points.append(
          String.format(
              Locale.ROOT,
              "%s%.1f %.1f",
              points.isEmpty() ? "M" : "L",
              x(percentile),
              y(curve.decade(percentile))));
    }
    svg.path(style, points.toString());
    var x = WIDTH - RIGHT;
    svg.line(style + " link", x, y(curve.decade(LAST)), x + 22, nameY - 4);
    svg.text("name", x + 28, nameY, curve.contestant().title());
    svg.text(
        "note",
        x + 28,
        nameY + LINE - 5,
        String.format(
            Locale.ROOT,
            "%,.0f/s, p50 %.1f ms, p99 %.1f ms",
            curve.rate(),
            Math.pow(10, curve.decade(50)),
            Math.pow(10, curve.decade(99))));
  }

  /** The latencies of one contestant at one rate. */
  private record Curve(Contestant contestant, double rate, Histogram latencies) {

    static Curve of(Series series, Spread rate) {
      return new Curve(series.contestant(), rate.median(), series.pacedLatencies());
    }

    /** The logarithm of a latency in milliseconds. */
    double decade(double percentile) {
      return Math.log10(latencies.getValueAtPercentile(percentile) / MICROS_PER_MILLI);
    }
  }

  private static double nines(double percentile) {
    return -Math.log10(1 - percentile / 100);
  }

  private static double x(double percentile) {
    var part = (nines(percentile) - nines(FIRST)) / (nines(LAST) - nines(FIRST));
    return LEFT + part * (WIDTH - RIGHT - LEFT);
  }

  private double y(double decade) {
    var part = (decade - lowest) / Math.max(1, highest - lowest);
    return HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP);
  }

  private static String milliseconds(int decade) {
    return number(Math.pow(10, decade)) + " ms";
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%s", value);
  }
}
