package dev.hapax.postgres;

import dev.hapax.domain.monitoring.NodeFacts;
import dev.hapax.postgres.monitoring.NodeFactsJson;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.UUID;

/**
 * A server process, as the table {@code node} describes it to other servers and to SQL functions.
 *
 * @param features the newest feature that it knows; it knows all before, too
 * @param epoch the last restore of the database that it knows; 0 = none
 */
record ServerNode(UUID id, String version, int features, int epoch) {
  /**
   * What this version knows; 0 = what the first release has, 1 = parts, 2 = turns, 3 = cells. What
   * uses more raises it.
   */
  private static final int KNOWN_FEATURES = 3;

  private static final String REGISTER = "SELECT * FROM hapax.register_node(?, ?, ?, ?, ?, ?)";
  private static final String REMOVE = "DELETE FROM hapax.node WHERE id = ?";

  /** Describes this process, with an id of its own. */
  static ServerNode ofThisProcess(String version, int epoch) {
    return new ServerNode(UUID.randomUUID(), version, KNOWN_FEATURES, epoch);
  }

  /**
   * A registration as the database has it.
   *
   * @param number how often the server has registered; 0 = never
   * @param timeline that of the database, which rises with each promotion; 0 = the provider hides
   *     it
   * @param at the time by the database's clock
   */
  record Registration(long number, int timeline, Instant at) {
    static final Registration NONE = new Registration(0, 0, Instant.EPOCH);

    /** This registration, as one before a promotion from this timeline. */
    Registration after(int earlierTimeline) {
      return new Registration(number, earlierTimeline, at);
    }
  }

  /**
   * Inserts or renews the row; the time is the database's.
   *
   * @param last the last registration, which the database must still have
   * @param facts what this server reports of itself; empty = what it reported before
   * @throws SQLException also if the database uses a feature that this version does not know, or is
   *     not the one that this server has worked on
   */
  Registration register(Connection connection, Registration last, Optional<NodeFacts> facts)
      throws SQLException {
    try (var statement = connection.prepareStatement(REGISTER)) {
      statement.setObject(1, id);
      statement.setString(2, version);
      statement.setInt(3, features);
      statement.setInt(4, epoch);
      statement.setLong(5, last.number());
      statement.setString(6, facts.map(NodeFactsJson::print).orElse(null));
      try (var row = statement.executeQuery()) {
        row.next();
        return new Registration(
            row.getLong(1), row.getInt(2), row.getObject(3, OffsetDateTime.class).toInstant());
      }
    }
  }

  /** Removes the row, so that no feature waits for this server. */
  void remove(Connection connection) throws SQLException {
    try (var statement = connection.prepareStatement(REMOVE)) {
      statement.setObject(1, id);
      statement.execute();
    }
  }
}
