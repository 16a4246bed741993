package dev.hapax.postgres.read;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Explains how PostgreSQL executes a query of {@link IndexScan}. */
public final class IndexScanPlan {
  private IndexScanPlan() {}

  /** Returns the lines of the plan for these parameters. */
  public static String of(Connection connection, String select, List<?> parameters)
      throws SQLException {
    var plan = new ArrayList<String>();
    IndexScan.query(
        ReadSession.wide(connection),
        "EXPLAIN " + select,
        parameters,
        row -> plan.add(row.getString(1)));
    return String.join("\n", plan);
  }
}
