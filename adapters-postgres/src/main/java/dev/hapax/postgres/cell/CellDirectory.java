package dev.hapax.postgres.cell;

import static dev.hapax.postgres.schema.Tables.CELL;
import static dev.hapax.postgres.schema.Tables.INSTALLATION;
import static dev.hapax.postgres.schema.Tables.NODE;
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
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/** Changes and lists the cells of an installation. The first cell has the directory. */
public final class CellDirectory {
  private static final Condition IS_LIVE = DSL.condition("id IN (SELECT id FROM hapax.live_node)");

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
    var used = WorkspaceRows.ofAny(sql);
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

  /** The cell that serves a workspace. */
  public CellName cellOf(Workspace workspace) throws SQLException, IOException {
    return TableTransaction.run(
        first,
        sql ->
            sql.select(PLACEMENT.CELL)
                .from(PLACEMENT)
                .where(PLACEMENT.WORKSPACE.eq(workspace.name()))
                .fetchOptional(PLACEMENT.CELL)
                .map(CellName::new)
                .orElse(CellName.DEFAULT));
  }

  /** Why running servers would not serve a workspace in a cell, one text for each of them. */
  List<String> problemsOfServers(CellName cell) throws SQLException, IOException {
    return TableTransaction.run(
        first,
        sql ->
            sql.select(NODE.ID, NODE.VERSION, NODE.PLACEMENTS)
                .from(NODE)
                .where(IS_LIVE)
                .and(
                    NODE.PLACEMENTS
                        .isNull()
                        .or(
                            cell.equals(CellName.DEFAULT)
                                ? DSL.falseCondition()
                                : DSL.condition(
                                    "{0} <> ALL (coalesce({1}, '{}'))",
                                    DSL.inline(cell.text()), NODE.CELLS)))
                .fetch(
                    row ->
                        "server %s (version %s) %s"
                            .formatted(
                                row.value1(),
                                row.value2(),
                                row.value3() == null
                                    ? "has not reported its cells: it starts, was killed in the last"
                                        + " minute, or needs the setting --cell or --cells"
                                    : "cannot use cell %s: its log and its /readyz say why"
                                        .formatted(cell))));
  }

  /** The running servers that may still use an older map. */
  List<String> laggards() throws SQLException, IOException {
    return TableTransaction.run(
        first,
        sql ->
            sql.select(NODE.ID)
                .from(NODE)
                .where(IS_LIVE)
                .and(DSL.coalesce(NODE.PLACEMENTS, DSL.inline(0L)).lt(epoch(sql)))
                .fetch(row -> row.value1().toString()));
  }

  /** The last change of the directory; 0 = there was none. */
  static long epoch(DSLContext sql) {
    return sql.select(DSL.coalesce(DSL.max(PLACEMENT.EPOCH), DSL.inline(0L)))
        .from(PLACEMENT)
        .fetchSingle()
        .value1();
  }
}
