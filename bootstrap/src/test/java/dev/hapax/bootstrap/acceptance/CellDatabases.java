package dev.hapax.bootstrap.acceptance;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.cell.MoveMethod;
import dev.hapax.domain.cell.MoveStep;
import dev.hapax.domain.cell.WorkspaceMove;
import dev.hapax.postgres.DatabasePassword;
import dev.hapax.postgres.cell.CellDirectory;
import dev.hapax.postgres.cell.CitusSchema;
import dev.hapax.postgres.cell.Conninfo;
import dev.hapax.postgres.cell.MoveJournal;
import dev.hapax.postgres.cell.WorkspaceMover;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The databases of two cells; the first one has the directory. */
record CellDatabases(TestDatabase first, TestDatabase second, boolean isCitus)
    implements AutoCloseable {
  static final CellName SECOND = new CellName("second");

  /** The URL of a database of the coordinator. */
  static final String CLUSTER = "HAPAX_TEST_CITUS_URL";

  /** Where the test has its workspaces: in the second cell, in one of a Citus cluster, or empty. */
  static final String PROPERTY = System.getProperty("hapax.cell", "");

  /** Creates two databases, of which the second is added as a cell. */
  static CellDatabases create() {
    return PROPERTY.equals("citus")
        ? inCluster()
        : added(new CellDatabases(TestDatabase.create(), TestDatabase.create(), false));
  }

  /** Creates two databases, of which the second is in a Citus cluster, and added as a cell. */
  static CellDatabases inCluster() {
    return added(
        new CellDatabases(
            TestDatabase.create(), TestDatabase.inCluster(System.getenv(CLUSTER)), true));
  }

  private static CellDatabases added(CellDatabases cells) {
    Migrations.migrate(cells.first.dataSource());
    Migrations.migrate(cells.second.dataSource());
    try {
      if (cells.isCitus) {
        new CitusSchema(cells.second.dataSource()).distribute();
      }
      cells.directory().add(SECOND, cells.second.dataSource());
    } catch (SQLException | IOException e) {
      throw new IllegalStateException(e);
    }
    return cells;
  }

  CellDirectory directory() {
    return new CellDirectory(first.dataSource());
  }

  /** The moves that have begun and not ended. */
  List<WorkspaceMove> moves() {
    try {
      return new MoveJournal(first.dataSource()).moves();
    } catch (SQLException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The setting of a server. */
  String setting() {
    return "--cell=%s=%s%s".formatted(SECOND, isCitus ? "citus:" : "", second.url());
  }

  /** The URL of the PostgreSQL that has the tables of the second cell. */
  String tables() {
    return second.urlOf(Migrations.SCHEMA);
  }

  /** Moves the tables of the second cell to another node of the cluster, which must have two. */
  void moveTables() {
    var target =
        second.query(
            """
            SELECT format('%L, %s', nodename, nodeport) FROM pg_dist_node n
            WHERE groupid <> 0 AND NOT EXISTS (SELECT FROM citus_shards s
              WHERE s.nodename = n.nodename AND s.nodeport = n.nodeport) LIMIT 1""");
    second.execute("SELECT citus_schema_move('hapax', %s)".formatted(target));
  }

  /** Places a new workspace in the second cell, which all servers can use. */
  void place(String workspace) {
    awaitReports();
    run(move(workspace, MoveMethod.COPY), _ -> {});
  }

  /** Places a new workspace whether servers can use the second cell or not. */
  void placeUnchecked(String workspace) {
    first.execute(
        """
        INSERT INTO hapax.placement (workspace, cell, epoch)
          SELECT '%1$s', 'second', 1 + coalesce(max(epoch), 0) FROM hapax.placement;
        INSERT INTO hapax.moved VALUES ('%1$s')\
        """
            .formatted(workspace));
  }

  /** Carries out a move. */
  void run(WorkspaceMove move, Consumer<String> done) {
    try {
      mover(move, done).run();
    } catch (SQLException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits until all servers can use the second cell. */
  void awaitReports() {
    Condition.await(
        "the servers can use the second cell",
        () ->
            first
                .query("SELECT count(*) FROM hapax.node WHERE cells IS DISTINCT FROM '{second}'")
                .equals("0"));
  }

  /** A move from the first cell to the second. */
  static WorkspaceMove move(String workspace, MoveMethod method) {
    return new WorkspaceMove(
        new Workspace(workspace), CellName.DEFAULT, SECOND, method, MoveStep.COPYING);
  }

  /** A mover between the two cells, which reports each step that has ended. */
  WorkspaceMover mover(WorkspaceMove move, Consumer<String> done) {
    return mover(move, done, () -> {});
  }

  /**
   * A mover that may be killed.
   *
   * @param connecting runs before each connection to a database
   */
  WorkspaceMover mover(WorkspaceMove move, Consumer<String> done, Runnable connecting) {
    var isForth = move.target().equals(SECOND);
    var source = isForth ? first.url() : tables();
    var target = isForth ? tables() : first.url();
    return new WorkspaceMover(
        watched(first.url(), connecting),
        move,
        watched(source, connecting),
        watched(target, connecting),
        conninfo(source),
        new WorkspaceMover.Report() {
          @Override
          public void done(String text) {
            done.accept(text);
          }

          @Override
          public void progress(String text) {}
        });
  }

  private static DataSource watched(String url, Runnable connecting) {
    var source =
        new PGSimpleDataSource() {
          private static final long serialVersionUID = 1L;

          @Override
          public Connection getConnection() throws SQLException {
            connecting.run();
            return super.getConnection();
          }
        };
    source.setURL(url);
    return source;
  }

  private static String conninfo(String url) {
    try {
      return Conninfo.of(url, Optional.empty(), new DatabasePassword.None());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Places all workspaces that callers of this JVM may use from now on. */
  void placeAll() {
    first.execute(
        """
        INSERT INTO hapax.placement (workspace, cell, epoch)
          SELECT 'w-' || n, 'second', n FROM generate_series(1, 1000) n;
        INSERT INTO hapax.moved SELECT workspace FROM hapax.placement\
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
              AND c.relname NOT IN ('placement', 'moved', 'move')\
            """
                .formatted(workspace)));
  }

  @Override
  public void close() {
    second.close();
    first.close();
  }
}
