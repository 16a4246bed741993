package dev.hapax.bootstrap.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A file that an operator writes line by line; blank lines and lines with # are left out. */
public record LineFile(Path path, List<Line> lines) {

  /**
   * A line without the spaces around it.
   *
   * @param number from 1, with the lines that are left out
   */
  public record Line(int number, String text) {}

  public LineFile {
    lines = List.copyOf(lines);
  }

  /** Reads all lines. */
  public static LineFile read(Path path) throws ConfigurationException {
    try {
      var lines = new ArrayList<Line>();
      var number = 0;
      for (var text : Files.readAllLines(path, StandardCharsets.UTF_8)) {
        number++;
        if (!text.isBlank() && !text.strip().startsWith("#")) {
          lines.add(new Line(number, text.strip()));
        }
      }
      return new LineFile(path, lines);
    } catch (IOException e) {
      throw new ConfigurationException(
          List.of("the file " + path + " " + FileErrors.describe(path, e)));
    }
  }

  /** Describes a problem with the place of its line. */
  public String problem(int number, String what) {
    return String.format(Locale.ROOT, "%s:%d: %s", path, number, what);
  }
}
