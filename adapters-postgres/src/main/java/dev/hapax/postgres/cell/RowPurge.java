package dev.hapax.postgres.cell;

import dev.hapax.domain.Workspace;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import javax.sql.DataSource;

/** Removes the rows of a workspace that nothing writes. */
record RowPurge(DataSource database, Workspace workspace) {
  /** So that other sessions wait for no long transaction. */
  private static final int PAGE = 5_000;

  /** Partitions one by one, since their rows have the same places. */
  private static final String TABLES =
      """
      SELECT c.oid::regclass::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'hapax'::regnamespace AND c.relkind = 'r' AND a.attname = 'workspace'
        AND c.relname NOT IN ('placement', 'moved', 'move', 'inbox_share', ?)
      ORDER BY 1\
      """;

  /**
   * Removes them in pages; returns their number.
   *
   * @param kept a table whose rows stay; empty = none
   */
  long run(String kept, LongConsumer progress) throws SQLException {
    var removed = 0L;
    try (var connection = database.getConnection()) {
      for (var table : tables(connection, kept)) {
        find(connection, table);
        for (var page = page(connection); !page.isEmpty(); page = page(connection)) {
          removed += remove(connection, table, page);
          progress.accept(removed);
        }
        execute(connection, "CLOSE purged");
      }
    }
    return removed;
  }

  private static List<String> tables(Connection connection, String kept) throws SQLException {
    var tables = new ArrayList<String>();
    try (var statement = connection.prepareStatement(TABLES)) {
      statement.setString(1, kept);
      try (var rows = statement.executeQuery()) {
        while (rows.next()) {
          tables.add(rows.getString(1));
        }
      }
    }
    return tables;
  }

  /** The places are read once: a search for each page would pass all rows that are gone. */
  private void find(Connection connection, String table) throws SQLException {
    execute(
        connection,
        "DECLARE purged CURSOR WITH HOLD FOR SELECT ctid FROM %s WHERE workspace = '%s'"
            .formatted(table, workspace.name()));
  }

  private static List<String> page(Connection connection) throws SQLException {
    var places = new ArrayList<String>(PAGE);
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery("FETCH " + PAGE + " FROM purged")) {
      while (rows.next()) {
        places.add(rows.getString(1));
      }
    }
    return places;
  }

  private int remove(Connection connection, String table, List<String> places) throws SQLException {
    try (var statement =
        connection.prepareStatement(
            "DELETE FROM " + table + " WHERE ctid = ANY (?::tid[]) AND workspace = ?")) {
      statement.setArray(1, connection.createArrayOf("text", places.toArray()));
      statement.setString(2, workspace.name());
      return statement.executeUpdate();
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
