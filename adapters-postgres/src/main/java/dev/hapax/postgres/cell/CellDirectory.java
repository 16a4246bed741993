package dev.hapax.postgres.cell;

import static dev.hapax.postgres.schema.Tables.CELL;
import static dev.hapax.postgres.schema.Tables.INSTALLATION;
import static dev.hapax.postgres.schema.Tables.MOVED;
import static dev.hapax.postgres.schema.Tables.PLACEMENT;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.CellName;
import dev.hapax.postgres.schema.Installation;
import dev.hapax.postgres.schema.TableTransaction;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/** Changes and lists the cells of an installation. The first cell has the directory. */
public final class CellDirectory {
  /**
   * As the feature of {@code hapax.require_feature}: an older server would write to the old cell.
   */
  private static final int CELLS = 3;

  private final DataSource first;

  /**
   * Uses a directory.
   *
   * @param first the database of the first cell
   */
  public CellDirectory(DataSource first) {
    this.first = first;
  }

  /**
   * A cell of the directory.
   *
   * @param workspaces how many are placed in it; of the first cell only those that were moved back
   */
  public record Entry(CellName name, String state, int workspaces) {}

  /** All cells, the first one at the beginning. */
  public List<Entry> list() throws SQLException, IOException {
    return TableTransaction.run(
        first,
        sql ->
            sql.select(CELL.NAME, CELL.STATE, DSL.count(PLACEMENT.WORKSPACE))
                .from(CELL)
                .leftJoin(PLACEMENT)
                .on(PLACEMENT.CELL.eq(CELL.NAME))
                .groupBy(CELL.NAME, CELL.STATE)
                .orderBy(DSL.field(CELL.NAME.ne(CellName.DEFAULT.text())), CELL.NAME)
                .fetch(row -> new Entry(new CellName(row.value1()), row.value2(), row.value3())));
  }

  /**
   * Requires that a database may become this cell, before it is migrated.
   *
   * @throws IOException if it is another cell, or has an older schema of another installation
   */
  public void requireFree(CellName name, DataSource database) throws SQLException, IOException {
    try (var connection = database.getConnection();
        var own = first.getConnection()) {
      if (hasSchema(connection)) {
        var found = CellIdentity.read(connection);
        if (found.name().isPresent()) {
          refuse(found.problem(name, CellIdentity.read(own)));
        }
      }
    }
  }

  private static boolean hasSchema(Connection connection) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT to_regclass('hapax.installation') IS NOT NULL")) {
      return rows.next() && rows.getBoolean(1);
    }
  }

  /**
   * Makes a migrated database a cell: it gets the secret and the name. Does nothing again if it is
   * that cell already.
   *
   * @throws IOException if it is another cell, or has data of another installation
   */
  public void add(CellName name, DataSource database) throws SQLException, IOException {
    CellIdentity own;
    byte[] secret;
    try (var connection = first.getConnection()) {
      secret = Installation.secret(connection);
      own = CellIdentity.read(connection);
    }
    refuse(own.problemOfFirst());
    TableTransaction.run(
        first,
        sql ->
            sql.update(INSTALLATION)
                .set(INSTALLATION.CELL, CellName.DEFAULT.text())
                .where(INSTALLATION.CELL.isNull())
                .execute());
    try (var connection = database.getConnection()) {
      var found = CellIdentity.read(connection);
      if (found.name().isPresent()) {
        refuse(found.problem(name, own));
      } else if (!found.hasSecretOf(own)) {
        TableTransaction.run(database, sql -> identify(sql, name, secret));
      }
    }
    TableTransaction.run(
        first,
        sql -> sql.insertInto(CELL, CELL.NAME).values(name.text()).onConflictDoNothing().execute());
  }

  private static void refuse(Optional<String> problem) throws IOException {
    if (problem.isPresent()) {
      throw new IOException(problem.get());
    }
  }

  private static int identify(DSLContext sql, CellName name, byte[] secret) throws IOException {
    var used = WorkspaceRecords.ofAny(sql);
    if (used.isPresent()) {
      throw new IOException(
          "it has data of another installation (table %s); use a new database"
              .formatted(used.get()));
    }
    return sql.insertInto(INSTALLATION, INSTALLATION.SECRET, INSTALLATION.CELL)
        .values(secret, name.text())
        .onConflict(INSTALLATION.ONLY_ROW)
        .doUpdate()
        .setAllToExcluded()
        .execute();
  }

  /**
   * Places a workspace without records in a cell. Waits until no batch is open that may have read
   * that the workspace is here, so that servers with an older map cannot write it any more.
   *
   * @param cell the database of the cell
   * @throws SQLException also if a batch does not end soon; try again
   * @throws IOException if the workspace has records, is placed, or the cell is unknown
   */
  public void place(Workspace workspace, CellName name, DataSource cell)
      throws SQLException, IOException {
    TableTransaction.run(
        cell,
        sql -> {
          requireNoRecords(sql, workspace, name);
          return 0;
        });
    TableTransaction.run(
        first,
        sql -> {
          // batches queue behind this lock, and give up after 250 ms
          sql.execute("SET LOCAL lock_timeout = '200ms'");
          sql.execute("SELECT hapax.require_feature({0})", DSL.inline(CELLS));
          sql.execute("LOCK TABLE hapax.placement IN SHARE ROW EXCLUSIVE MODE");
          sql.execute("LOCK TABLE hapax.moved IN ACCESS EXCLUSIVE MODE");
          var placed =
              sql.select(PLACEMENT.CELL)
                  .from(PLACEMENT)
                  .where(PLACEMENT.WORKSPACE.eq(workspace.name()))
                  .fetchOptional(PLACEMENT.CELL);
          if (placed.isPresent()) {
            throw new IOException(
                "workspace %s is placed in cell %s already"
                    .formatted(workspace.name(), placed.get()));
          }
          if (!sql.fetchExists(CELL, CELL.NAME.eq(name.text()))) {
            throw new IOException(
                "there is no cell %1$s; run `hapax cell add %1$s`".formatted(name));
          }
          requireNoRecords(sql, workspace, CellName.DEFAULT);
          var epoch =
              1
                  + sql.select(DSL.coalesce(DSL.max(PLACEMENT.EPOCH), DSL.inline(0L)))
                      .from(PLACEMENT)
                      .fetchSingle()
                      .value1();
          sql.insertInto(MOVED, MOVED.WORKSPACE, MOVED.EPOCH)
              .values(workspace.name(), epoch)
              .execute();
          return sql.insertInto(PLACEMENT, PLACEMENT.WORKSPACE, PLACEMENT.CELL, PLACEMENT.EPOCH)
              .values(workspace.name(), name.text(), epoch)
              .execute();
        });
  }

  private static void requireNoRecords(DSLContext sql, Workspace workspace, CellName cell)
      throws IOException {
    var table = WorkspaceRecords.of(sql, workspace);
    if (table.isPresent()) {
      throw new IOException(
          "workspace %s has records in cell %s (table %s), and only a new workspace can be placed; use another name"
              .formatted(workspace.name(), cell, table.get()));
    }
  }
}
