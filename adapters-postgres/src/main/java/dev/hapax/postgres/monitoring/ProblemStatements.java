package dev.hapax.postgres.monitoring;

import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.monitoring.BacklogReads.Problems;
import java.util.Locale;

/**
 * The statements that group what does not go on by itself. Each returns the names of a group and
 * its {@code number}, whether there are more, the times of its first and last item, and how many
 * are {@code recent}.
 */
final class ProblemStatements {
  /** Of failed runs, since there may be many kinds of them. */
  private static final int FAILED = 1_000;

  /** All groups of a kind are of the same items, which may be too many. */
  private static final String TALLY =
      "count(*) AS number, sum(count(*)) OVER () >= "
          + BacklogReads.COUNT_LIMIT
          + " AS truncated, min(at) AS first, max(at) AS last,"
          + " count(*) FILTER (WHERE at > now() - interval '1 hour') AS recent";

  /** Parameter: workspace. */
  static final String OPERATIONS_IN_DOUBT =
      grouped(
          "operation",
          "SELECT operation, until AS at FROM hapax.operation WHERE workspace = ? AND state = 2");

  /** Only unfinished operations have rows. Parameter: workspace. */
  static final String OPERATIONS_ABANDONED =
      grouped(
          "operation",
          "SELECT operation, until AS at FROM hapax.operation"
              + " WHERE workspace = ? AND state = 1 AND until < now() - interval '1 minute'");

  /** Parameter: workspace. */
  static final String ENTITIES_ABANDONED =
      grouped(
          "lifecycle, action",
          "SELECT lifecycle, coalesce(action, '') AS action, lease_until AS at FROM hapax.entity"
              + " WHERE workspace = ? AND hold <> 1 AND lease_until < now() - interval '1 minute'");

  /** Parameter: workspace. */
  static final String STEPS_IN_DOUBT =
      grouped(
          "definition_name, definition_version, step",
          "SELECT definition_name, definition_version, step, coalesce(until, created_at) AS at FROM hapax.run"
              + " WHERE workspace = ? AND phase = 2 AND due_at IS NULL");

  /** Parameter: workspace. */
  static final String INTENTS_REFUSED =
      grouped(
          "verb, reason",
          "SELECT verb, reason, taken_at AS at FROM hapax.intent_outcome"
              + " WHERE workspace = ? AND reason IS NOT NULL");

  /**
   * Skips from group to group in the index of failed runs, since there may be many of one kind.
   * Parameters: five times the workspace.
   */
  static final String RUNS_FAILED =
      String.format(
          Locale.ROOT,
          """
      WITH RECURSIVE g(name, version, step, code) AS (
        (SELECT definition_name, definition_version, step, failure_code FROM hapax.run
         WHERE workspace = ? AND status = 6
         ORDER BY definition_name, definition_version, step, failure_code LIMIT 1)
        UNION ALL
        SELECT n.* FROM g, LATERAL (
          SELECT definition_name, definition_version, step, failure_code FROM hapax.run
          WHERE workspace = ? AND status = 6
            AND (definition_name, definition_version, step, failure_code) > (g.name, g.version, g.step, g.code)
          ORDER BY definition_name, definition_version, step, failure_code LIMIT 1) n)
      SELECT g.name, g.version, g.step, g.code, c.number, c.number >= %1$d AS truncated, c.first, l.last, h.number AS recent
      FROM (SELECT * FROM g LIMIT %2$d) g, LATERAL (
        SELECT count(*) AS number, min(until) AS first FROM (
          SELECT until FROM hapax.run
          WHERE workspace = ? AND status = 6 AND definition_name = g.name AND definition_version = g.version
            AND step = g.step AND failure_code = g.code
          ORDER BY until LIMIT %1$d) s) c, LATERAL (
        SELECT until AS last FROM hapax.run
        WHERE workspace = ? AND status = 6 AND definition_name = g.name AND definition_version = g.version
          AND step = g.step AND failure_code = g.code
        ORDER BY until DESC LIMIT 1) l, LATERAL (
        SELECT count(*) AS number FROM (
          SELECT FROM hapax.run
          WHERE workspace = ? AND status = 6 AND definition_name = g.name AND definition_version = g.version
            AND step = g.step AND failure_code = g.code AND until > now() - interval '1 hour'
          ORDER BY until LIMIT %1$d) s) h
      """,
          FAILED,
          Problems.MOST);

  /** Whether a workspace has any record. Parameters: seven times the workspace. */
  static final String IS_KNOWN =
      """
      SELECT EXISTS (SELECT FROM hapax.definition WHERE workspace = ?)
        OR EXISTS (SELECT FROM hapax.operation WHERE workspace = ?)
        OR EXISTS (SELECT FROM hapax.operation_result WHERE workspace = ?)
        OR EXISTS (SELECT FROM hapax.run WHERE workspace = ?)
        OR EXISTS (SELECT FROM hapax.lifecycle WHERE workspace = ?)
        OR EXISTS (SELECT FROM hapax.entity WHERE workspace = ?)
        OR EXISTS (SELECT FROM hapax.janitor WHERE workspace = ?)
      """;

  /** Counts abandoned operations by workspace. Parameters: operations at most, groups at most. */
  static final String ABANDONED =
      """
      SELECT workspace, count(*) FROM (
        SELECT workspace FROM hapax.operation
        WHERE state = 1 AND until < now() - interval '1 minute' LIMIT ?) s
      GROUP BY workspace LIMIT ?
      """;

  /** Parameter: servers at most. */
  static final String SERVERS =
      """
      SELECT id, version, started_at, seen_at, seen_at > clock_timestamp() - interval '60 seconds' AS running,
        coalesce(cells, '{}') AS cells, facts
      FROM hapax.node WHERE seen_at > clock_timestamp() - interval '1 day' ORDER BY started_at LIMIT ?
      """;

  private ProblemStatements() {}

  private static String grouped(String names, String items) {
    return "SELECT %1$s, %2$s FROM (%3$s LIMIT %4$s) s GROUP BY %1$s ORDER BY min(at) LIMIT %5$s"
        .formatted(names, TALLY, items, BacklogReads.COUNT_LIMIT, Problems.MOST);
  }
}
