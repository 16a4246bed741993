package dev.hapax.postgres.read;

import dev.hapax.postgres.ledger.Pipeline;
import java.sql.SQLException;
import java.util.List;

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

  private IndexScan() {}

  public static void query(
      ReadSession session, String select, List<?> parameters, Pipeline.Rows rows)
      throws SQLException {
    session.inTransaction(
        () -> {
          var pipeline = session.pipeline();
          SETTINGS.forEach(pipeline::add);
          pipeline.query(select, parameters, rows);
          pipeline.run();
        });
  }
}
