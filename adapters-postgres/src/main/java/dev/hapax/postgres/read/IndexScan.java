package dev.hapax.postgres.read;

import dev.hapax.postgres.ledger.Pipeline;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs queries that must use an index and its order. A plan made while the statistics say that a
 * table is empty would later scan and sort all of it.
 */
public final class IndexScan {
  private static final List<String> SETTINGS =
      List.of(
          "SET LOCAL enable_seqscan = off",
          "SET LOCAL enable_bitmapscan = off",
          "SET LOCAL enable_sort = off");

  private static final List<String> ONE_PLAN_SETTINGS =
      Stream.concat(SETTINGS.stream(), Stream.of("SET LOCAL plan_cache_mode = force_generic_plan"))
          .toList();

  private IndexScan() {}

  /** Runs a query with a plan for its parameters. */
  public static void query(
      ReadSession session, String select, List<?> parameters, Pipeline.Rows rows)
      throws SQLException {
    query(SETTINGS, session, select, parameters, rows);
  }

  /**
   * Runs a query whose order only one index has. So each session plans it once, for all parameters.
   */
  public static void queryWithOnePlan(
      ReadSession session, String select, List<?> parameters, Pipeline.Rows rows)
      throws SQLException {
    query(ONE_PLAN_SETTINGS, session, select, parameters, rows);
  }

  private static void query(
      List<String> settings,
      ReadSession session,
      String select,
      List<?> parameters,
      Pipeline.Rows rows)
      throws SQLException {
    session.inTransaction(
        () -> {
          var pipeline = session.pipeline();
          settings.forEach(pipeline::add);
          pipeline.query(select, parameters, rows);
          pipeline.run();
        });
  }
}
