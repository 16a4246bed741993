package dev.hapax.domain;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * A table of expectations as text: the first line names the columns, the first cell of a line its
 * row. A cell that begins with '"' repeats the one to its left.
 */
public record Table(List<Cell> cells) {
  /** The expectation for one command in one state. */
  public record Cell(String state, String command, String expected) {}

  /** Tries one cell. */
  public interface Trial {
    void of(Cell cell);
  }

  public static Table of(String text) {
    var lines = text.lines().filter(line -> !line.isBlank()).map(Table::split).toList();
    var commands = lines.getFirst();
    var cells = new ArrayList<Cell>();
    for (var line : lines.subList(1, lines.size())) {
      if (line.size() != commands.size()) {
        throw new IllegalArgumentException("a cell more or less: " + line);
      }
      for (var i = 1; i < line.size(); i++) {
        var expected = line.get(i).equals("\"") ? cells.getLast().expected() : line.get(i);
        cells.add(new Cell(line.getFirst(), commands.get(i), expected));
      }
    }
    return new Table(cells);
  }

  private static List<String> split(String line) {
    return Stream.of(line.split("\\|")).map(String::strip).toList();
  }

  public Stream<DynamicTest> each(Trial trial) {
    return cells.stream()
        .map(
            cell ->
                DynamicTest.dynamicTest(
                    "%s: %s -> %s".formatted(cell.state(), cell.command(), cell.expected()),
                    () -> trial.of(cell)));
  }
}
