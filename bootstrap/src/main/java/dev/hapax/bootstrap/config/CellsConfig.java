package dev.hapax.bootstrap.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
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
    var names = new HashSet<>(listed.stream().map(CellTarget::name).toList());
    var problems = new ArrayList<String>();
    for (var line : lines.lines()) {
      try {
        var cell = CellTarget.parse(line.text(), defaults);
        cells.add(cell);
        if (!names.add(cell.name())) {
          problems.add(lines.problem(line.number(), "cell " + cell.name() + " is listed twice"));
        }
      } catch (IllegalArgumentException e) {
        problems.add(lines.problem(line.number(), String.valueOf(e.getMessage())));
      }
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return List.copyOf(cells);
  }
}
