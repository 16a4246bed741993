package dev.hapax.bootstrap.acceptance;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.CellName;
import dev.hapax.postgres.cell.CellDirectory;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.IOException;
import java.sql.SQLException;

/** The databases of two cells; the first one has the directory. */
record CellDatabases(TestDatabase first, TestDatabase second) implements AutoCloseable {
  static final CellName SECOND = new CellName("second");

  /** Creates two databases, of which the second is added as a cell. */
  static CellDatabases create() {
    var cells = new CellDatabases(TestDatabase.create(), TestDatabase.create());
    Migrations.migrate(cells.first.dataSource());
    Migrations.migrate(cells.second.dataSource());
    try {
      cells.directory().add(SECOND, cells.second.dataSource());
    } catch (SQLException | IOException e) {
      throw new IllegalStateException(e);
    }
    return cells;
  }

  CellDirectory directory() {
    return new CellDirectory(first.dataSource());
  }

  /** The setting of a server. */
  String setting() {
    return "--cell=%s=%s".formatted(SECOND, second.url());
  }

  /** Places a workspace in the second cell, as {@code hapax cell place} does. */
  void place(String workspace) {
    try {
      directory().place(new Workspace(workspace), SECOND, second.dataSource());
    } catch (SQLException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Places all workspaces that callers of this JVM may use from now on. */
  void placeAll() {
    first.execute(
        """
        INSERT INTO hapax.placement (workspace, cell, epoch)
          SELECT 'w-' || n, 'second', n FROM generate_series(1, 1000) n;
        INSERT INTO hapax.moved SELECT workspace, epoch FROM hapax.placement\
        """);
  }

  /** How many rows the tables of a cell have for a workspace. */
  static long rows(TestDatabase cell, String workspace) {
    return Long.parseLong(
        cell.query(
            """
            SELECT sum((xpath('//n/text()', query_to_xml(format(
              'SELECT count(*) AS n FROM hapax.%%I WHERE workspace = %%L', c.relname, '%1$s'),
              false, true, '')))[1]::text::bigint)
            FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE c.relnamespace = 'hapax'::regnamespace AND c.relkind IN ('r', 'p')
              AND NOT c.relispartition AND a.attname = 'workspace'
              AND c.relname NOT IN ('placement', 'moved')\
            """
                .formatted(workspace)));
  }

  @Override
  public void close() {
    second.close();
    first.close();
  }
}
