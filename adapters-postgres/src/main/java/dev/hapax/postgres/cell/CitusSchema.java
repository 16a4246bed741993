package dev.hapax.postgres.cell;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The schema of Hapax in a Citus cluster: one node has all its tables, and Citus moves them to
 * another one. Servers work on that node, where they share locks, a clock and notifications.
 */
public record CitusSchema(DataSource coordinator) {
  private static final String HAS_CITUS = "SELECT to_regclass('pg_catalog.pg_dist_node')::text";

  private static final String NODE =
      """
      SELECT n.nodename, n.nodeport
      FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node n USING (groupid)
      WHERE s.logicalrelid = to_regclass('hapax.run') AND n.noderole = 'primary'
      """;

  /** Whether a database is a node of a cluster that has the schema. */
  static final String IS_DISTRIBUTED = "SELECT to_regprocedure('hapax.hold_schema()') IS NOT NULL";

  /** A node, as the cluster names it. */
  public record Node(String host, int port) {}

  /** Gives the migrated schema to a node; may be repeated, and must be after each migration. */
  public void distribute() throws SQLException {
    try (var connection = coordinator.getConnection();
        var statement = connection.createStatement()) {
      statement.execute(script());
    }
  }

  private static String script() {
    try (var script =
        Objects.requireNonNull(CitusSchema.class.getResourceAsStream("/db/citus/distribute.sql"))) {
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The node that has the tables; empty = they are not distributed yet. */
  public Optional<Node> node() throws SQLException {
    try (var connection = coordinator.getConnection()) {
      if (read(connection, HAS_CITUS, row -> Optional.ofNullable(row.getString(1))).isEmpty()) {
        throw new SQLException("it has no extension citus; remove citus: in front of its URL");
      }
      return read(connection, NODE, row -> Optional.of(new Node(row.getString(1), row.getInt(2))));
    }
  }

  /** Whether this database is a node of a cluster with the schema. */
  public static boolean isDistributed(Connection connection) throws SQLException {
    return read(connection, IS_DISTRIBUTED, row -> Optional.of(row.getBoolean(1))).orElseThrow();
  }

  /** Reads the first row. */
  private interface Reading<T> {
    Optional<T> from(ResultSet row) throws SQLException;
  }

  private static <T> Optional<T> read(Connection connection, String query, Reading<T> reading)
      throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(query)) {
      return rows.next() ? reading.from(rows) : Optional.empty();
    }
  }
}
