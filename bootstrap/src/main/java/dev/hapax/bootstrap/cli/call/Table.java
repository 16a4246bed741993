package dev.hapax.bootstrap.cli.call;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A text table with aligned columns. */
public final class Table {
  private static final String GAP = "  ";

  private final List<Column> columns;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * A column of fixed width.
   *
   * @param width minimum width; a longer cell shifts the rest of its line; 0 = fits the cells
   */
  public record Column(String head, int width) {}

  private Table(List<Column> columns) {
    this.columns = columns;
  }

  /** Creates a table whose columns fit their cells. */
  public Table(String... head) {
    this(Arrays.stream(head).map(name -> new Column(name, 0)).toList());
  }

  /** Creates a table with fixed widths, for lists that are printed again or page by page. */
  public static Table ofWidths(Column... columns) {
    return new Table(List.of(columns));
  }

  /** Adds a row with a cell for each column. */
  public void add(String... cells) {
    rows.add(List.of(cells));
  }

  public List<String> lines() {
    var lines = new ArrayList<String>();
    var widths = new int[columns.size()];
    Arrays.setAll(widths, this::width);
    lines.add(line(columns.stream().map(Column::head).toList(), widths));
    rows.forEach(row -> lines.add(line(row, widths)));
    return lines;
  }

  private int width(int index) {
    var column = columns.get(index);
    return column.width() > 0
        ? column.width()
        : rows.stream()
            .mapToInt(row -> row.get(index).length())
            .reduce(column.head().length(), Math::max);
  }

  private static String line(List<String> row, int[] widths) {
    var line = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      var cell = row.get(column);
      line.append(cell).repeat(' ', Math.max(0, widths[column] - cell.length())).append(GAP);
    }
    return line.toString().stripTrailing();
  }
}
