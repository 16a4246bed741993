package dev.hapax.bootstrap.remote;

import java.util.ArrayList;
import java.util.List;

/** Rows under a head, columns as wide as they need to be. */
public final class Table {
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();

  public Table(String... head) {
    rows.add(List.of(head));
  }

  /** Adds a row of as many cells as the head has. */
  public void add(String... cells) {
    rows.add(List.of(cells));
  }

  public List<String> lines() {
    var widths = new int[rows.getFirst().size()];
    for (var row : rows) {
      for (int column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column], row.get(column).length());
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, int[] widths) {
    var line = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      var cell = row.get(column);
      line.append(cell).repeat(' ', widths[column] - cell.length()).append(GAP);
    }
    return line.toString().stripTrailing();
  }
}
