package dev.hapax.postgres.monitoring;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.monitoring.BacklogReads.StuckCounts;
import dev.hapax.domain.monitoring.BacklogReads.StuckWork;
import dev.hapax.domain.security.AllowedNames;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Counts what does not go on by itself in several workspaces. */
final class StuckScan {
  private StuckScan() {}

  static StuckWork read(ReadSession session, AllowedNames names, String after, int most)
      throws SQLException {
    var counts = counts(session, names, after, most);
    // only whether a queue has any, and since when
    var ready =
        PostgresBacklogReads.ready(
            session, BacklogStatements.READY, List.of(BacklogReads.GROUP_LIMIT, 1));
    return new StuckWork(counts, ready, BacklogScan.held(session));
  }

  static List<StuckCounts> counts(ReadSession session, AllowedNames names, String after, int most)
      throws SQLException {
    var counts = new ArrayList<StuckCounts>();
    IndexScan.query(
        session,
        switch (names) {
          case AllowedNames.All() -> StuckStatements.ALL;
          case AllowedNames.Listed _ -> StuckStatements.LISTED;
        },
        switch (names) {
          case AllowedNames.All() -> List.of(after, most);
          case AllowedNames.Listed _ -> List.of(String.join(",", names.inOrder()), after, most);
        },
        row ->
            counts.add(
                new StuckCounts(
                    new Workspace(row.getString("workspace")),
                    row.getInt("failed"),
                    row.getInt("operations_in_doubt"),
                    row.getInt("steps_in_doubt"),
                    row.getInt("operations_abandoned"),
                    row.getInt("entities_abandoned"))));
    return counts;
  }
}
