package dev.hapax.postgres.cell;

import static dev.hapax.postgres.schema.Tables.PLACEMENT;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.cell.Placements;
import dev.hapax.domain.cell.WorkspaceMove;
import dev.hapax.postgres.read.WideReads;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * The directory in the database of the first cell.
 *
 * @param node the registration of this server
 */
public record PostgresPlacements(WideReads reads, UUID node) implements Placements {
  @Override
  public CompletableFuture<List<Placement>> changedAfter(long epoch) {
    return reads.submit(
        session ->
            DSL.using(session.connection(), SQLDialect.POSTGRES)
                .select(PLACEMENT.WORKSPACE, PLACEMENT.CELL, PLACEMENT.EPOCH)
                .from(PLACEMENT)
                .where(PLACEMENT.EPOCH.gt(epoch))
                .orderBy(PLACEMENT.EPOCH)
                .fetch(
                    row ->
                        new Placement(
                            new Workspace(row.value1()),
                            new CellName(row.value2()),
                            row.value3())));
  }

  @Override
  public CompletableFuture<List<WorkspaceMove>> moves() {
    return reads.submit(
        session -> MoveJournal.moves(DSL.using(session.connection(), SQLDialect.POSTGRES)));
  }

  @Override
  public CompletableFuture<Void> report(long epoch, List<CellName> usable) {
    return reads
        .submit(
            session -> {
              var connection = session.connection();
              try (var statement =
                  connection.prepareStatement("SELECT hapax.report_cells(?, ?, ?)")) {
                statement.setObject(1, node);
                statement.setLong(2, epoch);
                statement.setArray(
                    3,
                    connection.createArrayOf(
                        "text", usable.stream().map(CellName::text).toArray()));
                return statement.execute();
              }
            })
        .thenAccept(_ -> {});
  }
}
