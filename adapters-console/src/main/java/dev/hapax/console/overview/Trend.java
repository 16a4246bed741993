package dev.hapax.console.overview;

import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;

/**
 * A number over the last hour, drawn as one bar for each minute.
 *
 * @param path the bars, in a box of 60 by 16 units
 * @param text the same for readers who do not see it
 */
public record Trend(String path, String text) {
  public static final int MINUTES = 60;
  public static final int HEIGHT = 16;

  /**
   * Draws a series.
   *
   * @param last the minute of the last bar
   * @param values by minute; a minute without a value has no bar
   */
  static Trend of(long last, NavigableMap<Long, Long> values) {
    if (values.isEmpty()) {
      return new Trend("", "unknown");
    }
    var most = values.values().stream().mapToLong(Long::longValue).max().orElse(0);
    var least = values.values().stream().mapToLong(Long::longValue).min().orElse(0);
    var path = new StringBuilder();
    for (Map.Entry<Long, Long> bar : values.entrySet()) {
      if (bar.getValue() > 0) {
        var x = MINUTES - 1 - (last - bar.getKey());
        var y = HEIGHT - Math.max(1, bar.getValue() * HEIGHT / most);
        path.append(String.format(Locale.ROOT, "M%d %dV%dh1V%dz", x, HEIGHT, y, HEIGHT));
      }
    }
    return new Trend(
        path.toString(),
        String.format(
            Locale.ROOT,
            "%d now; from %d to %d in the last hour",
            values.lastEntry().getValue(),
            least,
            most));
  }
}
