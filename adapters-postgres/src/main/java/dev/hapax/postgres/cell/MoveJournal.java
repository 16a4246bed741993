package dev.hapax.postgres.cell;

import static dev.hapax.postgres.schema.Tables.CELL;
import static dev.hapax.postgres.schema.Tables.MOVE;
import static dev.hapax.postgres.schema.Tables.PLACEMENT;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.cell.MoveMethod;
import dev.hapax.domain.cell.MoveStep;
import dev.hapax.domain.cell.WorkspaceMove;
import dev.hapax.postgres.schema.TableTransaction;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/**
 * Stores how far each move of a workspace is.
 *
 * @param first the database of the first cell
 */
public record MoveJournal(DataSource first) {
  /**
   * As the feature of {@code hapax.require_feature}: an older server would write to the old cell.
   */
  private static final int CELLS = 3;

  private static final String LOCK = "SELECT pg_try_advisory_lock(?, hashtext(?))";
  private static final int MOVES = 4_217_006;

  /** The moves that have begun and not ended. */
  public List<WorkspaceMove> moves() throws SQLException, IOException {
    return TableTransaction.run(first, MoveJournal::moves);
  }

  static List<WorkspaceMove> moves(DSLContext sql) {
    return sql.selectFrom(MOVE)
        .orderBy(MOVE.WORKSPACE)
        .fetch(
            row ->
                new WorkspaceMove(
                    new Workspace(row.get(MOVE.WORKSPACE)),
                    new CellName(row.get(MOVE.SOURCE)),
                    new CellName(row.get(MOVE.TARGET)),
                    MoveMethod.valueOf(upper(row.get(MOVE.METHOD))),
                    MoveStep.valueOf(upper(row.get(MOVE.STEP)))));
  }

  private static String upper(String name) {
    return name.toUpperCase(Locale.ROOT);
  }

  private static String lower(Enum<?> name) {
    return name.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Excludes other movers of a workspace until it is closed.
   *
   * @throws IOException if there is one
   */
  Connection lock(Workspace workspace) throws SQLException, IOException {
    var connection = first.getConnection();
    try (var statement = connection.prepareStatement(LOCK)) {
      statement.setInt(1, MOVES);
      statement.setString(2, workspace.name());
      try (var row = statement.executeQuery()) {
        if (row.next() && row.getBoolean(1)) {
          return connection;
        }
      }
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
    connection.close();
    throw new IOException(
        "another `hapax cell move` works on workspace %s".formatted(workspace.name()));
  }

  /**
   * Makes this the only mover of a move that has begun: one that comes back after its session was
   * lost cannot advance it.
   *
   * @return its step; empty = it has not begun
   */
  Optional<MoveStep> takeOver(WorkspaceMove move, UUID mover) throws SQLException, IOException {
    return TableTransaction.run(
        first,
        sql ->
            sql.update(MOVE)
                .set(MOVE.MOVER, mover)
                .where(MOVE.WORKSPACE.eq(move.workspace().name()))
                .and(MOVE.TARGET.eq(move.target().text()))
                .returning(MOVE.STEP)
                .fetchOptional(MOVE.STEP)
                .map(step -> MoveStep.valueOf(upper(step))));
  }

  /**
   * Stores that a move begins.
   *
   * @throws IOException if there is no such cell
   */
  void begin(WorkspaceMove move, UUID mover) throws SQLException, IOException {
    TableTransaction.run(
        first,
        sql -> {
          sql.execute("SELECT hapax.require_feature({0})", DSL.inline(CELLS));
          if (!sql.fetchExists(CELL, CELL.NAME.eq(move.target().text()))) {
            throw new IOException(
                "there is no cell %1$s; run `hapax cell add %1$s`".formatted(move.target()));
          }
          return sql.insertInto(MOVE)
              .set(MOVE.WORKSPACE, move.workspace().name())
              .set(MOVE.SOURCE, move.source().text())
              .set(MOVE.TARGET, move.target().text())
              .set(MOVE.METHOD, lower(move.method()))
              .set(MOVE.STEP, lower(move.step()))
              .set(MOVE.MOVER, mover)
              .execute();
        });
  }

  /**
   * Stores the step of a move; with the last one, servers begin to use the target.
   *
   * @throws IOException if another mover has taken over
   */
  void advance(WorkspaceMove move, UUID mover) throws SQLException, IOException {
    TableTransaction.run(
        first,
        sql -> {
          var stored =
              sql.update(MOVE)
                  .set(MOVE.STEP, lower(move.step()))
                  .where(MOVE.WORKSPACE.eq(move.workspace().name()), MOVE.MOVER.eq(mover))
                  .execute();
          if (stored == 0) {
            throw new IOException(
                "another `hapax cell move` has taken over workspace %s"
                    .formatted(move.workspace().name()));
          }
          return switch (move.step()) {
            case COPYING, PAUSING, COMPLETE -> stored;
            case SWITCHED -> place(sql, move.workspace(), move.target());
          };
        });
  }

  private static int place(DSLContext sql, Workspace workspace, CellName cell) {
    sql.execute("LOCK TABLE hapax.placement IN SHARE ROW EXCLUSIVE MODE");
    var epoch = 1 + CellDirectory.epoch(sql);
    return sql.insertInto(PLACEMENT, PLACEMENT.WORKSPACE, PLACEMENT.CELL, PLACEMENT.EPOCH)
        .values(workspace.name(), cell.text(), epoch)
        .onConflict(PLACEMENT.WORKSPACE)
        .doUpdate()
        .setAllToExcluded()
        .execute();
  }

  /** Forgets a move that has ended or was cancelled. */
  void end(WorkspaceMove move) throws SQLException, IOException {
    TableTransaction.run(
        first,
        sql -> sql.deleteFrom(MOVE).where(MOVE.WORKSPACE.eq(move.workspace().name())).execute());
  }
}
