package dev.hapax.postgres.sql;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A file of statements, each under the names of the calls that send it. */
final class GoldenSql {
  private final GoldenFile file;
  private final RecordedConnections connections;
  private final Map<List<String>, List<String>> callsByStatements = new LinkedHashMap<>();

  /** A call whose statements are recorded. */
  @FunctionalInterface
  interface Call {
    void run() throws Exception;
  }

  GoldenSql(String name, RecordedConnections connections) {
    this.file = GoldenFile.named(name + ".sql");
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
    file.verify(text());
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
