package dev.hapax.postgres.monitoring;

import dev.hapax.domain.monitoring.BacklogReads;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The statements that count what does not go on by itself in several workspaces. The names are
 * found by skipping from one to the next in an index of each table, so finished work is not
 * scanned.
 */
final class StuckStatements {
  /** Parameters: the name before the first one, workspaces at most. */
  static final String ALL =
      counted(
          """
          WITH RECURSIVE g(workspace) AS (
            SELECT ?::text COLLATE "C"
            UNION ALL
            SELECT least(%s)::text
            FROM g WHERE g.workspace IS NOT NULL)
          """
              .formatted(
                  Stream.of(
                          "definition",
                          "operation",
                          "operation_result",
                          "run",
                          "lifecycle",
                          "entity",
                          "janitor",
                          "placement")
                      .map(StuckStatements::next)
                      .collect(Collectors.joining(",\n  "))),
          "SELECT workspace FROM g WHERE workspace IS NOT NULL OFFSET 1 LIMIT ?");

  /**
   * Parameters: names with commas between them, the name before the first one, workspaces at most.
   */
  static final String LISTED =
      counted(
          "",
          "SELECT workspace FROM unnest(string_to_array(?, ',')) workspace"
              + " WHERE workspace COLLATE \"C\" > ? ORDER BY workspace COLLATE \"C\" LIMIT ?");

  private StuckStatements() {}

  private static String next(String table) {
    return "(SELECT t.workspace FROM hapax.%s t WHERE t.workspace > g.workspace ORDER BY t.workspace LIMIT 1)"
        .formatted(table);
  }

  private static String counted(String with, String workspaces) {
    return """
    %sSELECT g.workspace,
      %s AS failed,
      %s AS operations_in_doubt,
      %s AS steps_in_doubt,
      %s AS operations_abandoned,
      %s AS entities_abandoned
    FROM (%s) g
    """
        .formatted(
            with,
            number("run", "t.status = 6"),
            number("operation", "t.state = 2"),
            number("run", "t.phase = 2 AND t.due_at IS NULL"),
            number("operation", "t.state = 1 AND t.until < now() - interval '1 minute'"),
            number("entity", "t.hold <> 1 AND t.lease_until < now() - interval '1 minute'"),
            workspaces);
  }

  private static String number(String table, String condition) {
    return "(SELECT count(*) FROM (SELECT FROM hapax.%s t WHERE t.workspace = g.workspace AND %s LIMIT %s) s)"
        .formatted(table, condition, BacklogReads.ENDED_LIMIT);
  }
}
