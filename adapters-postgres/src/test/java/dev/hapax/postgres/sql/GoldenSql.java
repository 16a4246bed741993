package dev.hapax.postgres.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A file of statements, each under the names of the calls that send it. */
final class GoldenSql {
  private static final Path ROOT = Path.of("src", "test", "resources", "sql");
  private final Path file;
  private final RecordedConnections connections;
  private final Map<List<String>, List<String>> callsByStatements = new LinkedHashMap<>();

  /** A call whose statements are recorded. */
  @FunctionalInterface
  interface Call {
    void run() throws Exception;
  }

  GoldenSql(String name, RecordedConnections connections) {
    this.file = ROOT.resolve(name + ".sql");
    this.connections = connections;
    connections.take();
  }

  /** Adds the statements that this call sends; several calls may send the same. */
  GoldenSql add(String name, Call call) throws Exception {
    call.run();
    var statements = connections.take().stream().map(GoldenSql::withoutDates).distinct().toList();
    if (!statements.isEmpty()) {
      var calls = callsByStatements.computeIfAbsent(statements, _ -> new ArrayList<>());
      if (!calls.contains(name)) {
        calls.add(name);
      }
    }
    return this;
  }

  /** Compares with the file, or writes it with {@code -Dsql=write}. */
  void verify() {
    try {
      if ("write".equals(System.getProperty("sql"))) {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text());
      } else {
        assertThat(text())
            .as("%s is rewritten by the command in CONTRIBUTING.md (-Dsql=write)", file)
            .isEqualTo(Files.readString(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String text() {
    return callsByStatements.entrySet().stream()
        .map(
            entry ->
                "-- %s\n%s"
                    .formatted(
                        String.join("; ", entry.getValue()),
                        entry.getKey().stream()
                            .map(statement -> SqlLayout.of(statement) + ";\n")
                            .collect(Collectors.joining())))
        .collect(Collectors.joining("\n"));
  }

  /** The names and bounds of partitions are those of the day of the test. */
  private static String withoutDates(String statement) {
    return statement
        .replaceAll("operation_result_\\d{8}", "operation_result_<day>")
        .replaceAll("'\\d{4}-\\d\\d-\\d\\d'", "'<date>'");
  }
}
