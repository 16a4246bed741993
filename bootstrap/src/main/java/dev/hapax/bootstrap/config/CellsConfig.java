package dev.hapax.bootstrap.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The cells beside the first one.
 *
 * @param listed those of {@code --cell}
 * @param file that of {@code --cells}, which may change while the server runs
 * @param defaults the user and the password of a cell that names none
 * @param allowUnsafe whether to accept settings that can lose acknowledged data
 */
public record CellsConfig(
    List<CellTarget> listed, Optional<Path> file, JdbcLogin defaults, boolean allowUnsafe) {

  /** Whether there can be no other cell. */
  public boolean isEmpty() {
    return listed.isEmpty() && file.isEmpty();
  }

  /** Reads the file again, and returns all cells. */
  public List<CellTarget> current() throws ConfigurationException {
    if (file.isEmpty()) {
      return listed;
    }
    var lines = LineFile.read(file.get());
    var cells = new ArrayList<>(listed);
    var problems = new ArrayList<String>();
    for (var line : lines.lines()) {
      try {
        add(cells, line.text(), defaults);
      } catch (IllegalArgumentException e) {
        problems.add(lines.problem(line.number(), String.valueOf(e.getMessage())));
      }
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return List.copyOf(cells);
  }

  /**
   * Parses a cell, and adds it to others.
   *
   * @throws IllegalArgumentException also if its name is among them
   */
  static void add(List<CellTarget> cells, String text, JdbcLogin defaults) {
    var cell = CellTarget.parse(text, defaults);
    if (cells.stream().map(CellTarget::name).anyMatch(cell.name()::equals)) {
      throw new IllegalArgumentException("cell " + cell.name() + " is listed twice");
    }
    cells.add(cell);
  }
}
