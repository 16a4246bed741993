package dev.hapax.bench.peers;

import dev.hapax.bench.Spread;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Rates as multiples of R1 in the same round: a bar for the median, a line from least to most. */
final class RateChart {
  private static final int WIDTH = 860;
  private static final int LEFT = 330;
  private static final int RIGHT = 170;
  private static final int TOP = 58;
  private static final int ROW = 22;
  private static final int BAR = 13;
  private static final int BELOW_GROUP = 8;

  private final Svg svg = new Svg(WIDTH);
  private final CaseResult result;

  private RateChart(CaseResult result) {
    this.result = result;
  }

  static String of(CaseResult result) {
    return new RateChart(result).draw();
  }

  private String draw() {
    var title = "Rates as multiples of R1, one INSERT a commit; " + result.title();
    svg.text("title", 12, 24, title);
    svg.text(
        "note",
        12,
        43,
        "bar: median of the rounds; line: least to most; each group has a scale of its own");
    double y = TOP;
    for (var group : groups().entrySet()) {
      y += ROW;
      svg.text("group", 12, y - 6, group.getKey().title());
      var scale = scale(group.getValue());
      for (var series : group.getValue()) {
        row(series, y, scale);
        y += ROW;
      }
      y += BELOW_GROUP;
    }
    svg.line("axis", LEFT, TOP, LEFT, y);
    return svg.picture((int) y + 12, title);
  }

  private Map<Contestant.Kind, List<Series>> groups() {
    var groups = new EnumMap<Contestant.Kind, List<Series>>(Contestant.Kind.class);
    for (var kind : Contestant.Kind.values()) {
      var members =
          result.all().stream().filter(series -> series.contestant().kind() == kind).toList();
      if (!members.isEmpty()) {
        groups.put(kind, members);
      }
    }
    return groups;
  }

  private double scale(List<Series> group) {
    var most = group.stream().mapToDouble(series -> ratio(series).most()).max().orElseThrow();
    return (WIDTH - LEFT - RIGHT) / most;
  }

  private Spread ratio(Series series) {
    return series.ratioTo(result.baseline());
  }

  private void row(Series series, double y, double scale) {
    var contestant = series.contestant();
    var ratio = ratio(series);
    var middle = y + BAR / 2.0;
    svg.text("name", "end", LEFT - 8, y + BAR - 2.5, contestant.title());
    svg.bar(Svg.style(contestant.peer()), LEFT, y, ratio.median() * scale, BAR);
    svg.line("spread", LEFT + ratio.least() * scale, middle, LEFT + ratio.most() * scale, middle);
    svg.text(
        "value",
        LEFT + ratio.most() * scale + 8,
        y + BAR - 2.5,
        String.format(Locale.ROOT, "%.2f (%,.0f/s)", ratio.median(), series.rate().median()));
  }
}
