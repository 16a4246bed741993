package dev.hapax.postgres.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The statements that servers send, and those in the migrations. */
final class ShippedStatements {
  private static final Path GOLDEN = Path.of("src", "test", "resources", "sql");
  private static final Path MIGRATIONS = Path.of("src", "main", "resources", "db", "migration");
  private static final Pattern FUNCTION =
      Pattern.compile(
          "(?s)CREATE FUNCTION (\\w+)\\((.*?(?:\\bAS\\s*\\$\\$.*?\\$\\$;|\\bRETURN [^;]*;))");

  private ShippedStatements() {}

  /**
   * A statement.
   *
   * @param place its golden file, or its function, or its migration
   */
  record Shipped(String place, String text) {
    SqlTree tree() {
      return SqlTree.of(text);
    }
  }

  /** The statements of the golden files. */
  static List<Shipped> golden() {
    return files(GOLDEN).entrySet().stream()
        .flatMap(file -> statements(file.getKey(), file.getValue()))
        .toList();
  }

  /** Those with what they have in strings, as servers send them. */
  static List<Shipped> sent() {
    return files(GOLDEN).entrySet().stream()
        .flatMap(file -> split(file.getKey(), file.getValue().replaceAll("--[^\n]*", "")))
        .distinct()
        .toList();
  }

  /** The statements of the functions, each as its last migration left it. */
  static List<Shipped> functions() {
    var bodies = new LinkedHashMap<String, String>();
    files(MIGRATIONS)
        .values()
        .forEach(
            text ->
                FUNCTION
                    .matcher(text)
                    .results()
                    .forEach(found -> bodies.put(found.group(1), found.group(2))));
    return bodies.entrySet().stream()
        .flatMap(body -> statements("function " + body.getKey(), body.getValue()))
        .toList();
  }

  /** What the migrations have outside of functions. */
  static List<Shipped> definitions() {
    return files(MIGRATIONS).entrySet().stream()
        .flatMap(
            file -> statements(file.getKey(), FUNCTION.matcher(file.getValue()).replaceAll("")))
        .toList();
  }

  /** Without comments, and without the content of strings. */
  private static Stream<Shipped> statements(String place, String text) {
    return split(place, text.replaceAll("--[^\n]*", "").replaceAll("'[^']*'", "''"));
  }

  private static Stream<Shipped> split(String place, String text) {
    return Arrays.stream(text.split(";"))
        .map(String::strip)
        .filter(statement -> !statement.isEmpty())
        .map(statement -> new Shipped(place, statement));
  }

  /** The texts of the files in a folder, in the order of their names. */
  private static Map<String, String> files(Path folder) {
    try (var files = Files.walk(folder)) {
      var texts = new LinkedHashMap<String, String>();
      for (var file : files.filter(f -> f.toString().endsWith(".sql")).sorted().toList()) {
        texts.put(folder.relativize(file).toString(), Files.readString(file));
      }
      return texts;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
