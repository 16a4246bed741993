package dev.hapax.postgres.monitoring;

import dev.hapax.domain.monitoring.BacklogReads.Servers;
import dev.hapax.domain.monitoring.BacklogReads.StuckCounts;
import dev.hapax.domain.security.AllowedNames;
import dev.hapax.postgres.read.ReadSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Reads the servers and the stuck work of a database without a server.
 *
 * @param connection whose role may read all workspaces
 */
public record InstallationReads(Connection connection) {
  /** The servers, also those that ended without a word in the last day. */
  public Servers servers() throws SQLException {
    return ProblemScan.servers(ReadSession.wide(connection));
  }

  /** What is stuck in each of so many workspaces. */
  public List<StuckCounts> stuck(int most) throws SQLException {
    return StuckScan.counts(ReadSession.wide(connection), new AllowedNames.All(), "", most);
  }
}
