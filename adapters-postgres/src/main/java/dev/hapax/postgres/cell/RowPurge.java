package dev.hapax.postgres.cell;

import dev.hapax.domain.Workspace;
import dev.hapax.postgres.cell.WorkspaceRows.RecordTable;
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

  /** Removes those in these tables in pages; returns their number. */
  long run(List<RecordTable> tables, LongConsumer progress) throws SQLException {
    var removed = 0L;
    try (var connection = database.getConnection()) {
      for (var table : tables) {
        for (var part : parts(connection, table)) {
          find(connection, part);
          for (var page = page(connection); !page.isEmpty(); page = page(connection)) {
            removed += remove(connection, part, page);
            progress.accept(removed);
          }
          execute(connection, "CLOSE purged");
        }
      }
    }
    return removed;
  }

  /** Partitions one by one, since their rows have the same places. */
  private static List<String> parts(Connection connection, RecordTable table) throws SQLException {
    var name = "hapax." + table.name();
    return table.isPartitioned()
        ? texts(
            connection,
            "SELECT relid::regclass::text FROM pg_partition_tree('%s') WHERE isleaf"
                .formatted(name))
        : List.of(name);
  }

  /** The places are read once: a search for each page would pass all rows that are gone. */
  private void find(Connection connection, String table) throws SQLException {
    execute(
        connection,
        "DECLARE purged CURSOR WITH HOLD FOR SELECT ctid FROM %s WHERE workspace = '%s'"
            .formatted(table, workspace.name()));
  }

  private static List<String> page(Connection connection) throws SQLException {
    return texts(connection, "FETCH " + PAGE + " FROM purged");
  }

  private static List<String> texts(Connection connection, String sql) throws SQLException {
    var texts = new ArrayList<String>();
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
    }
    return texts;
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
