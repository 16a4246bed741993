package dev.hapax.postgres.cell;

import static dev.hapax.postgres.schema.Tables.PLACEMENT;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.cell.PlacementReads;
import dev.hapax.postgres.read.WideReads;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** Reads the placements of the directory. */
public record PostgresPlacementReads(WideReads reads) implements PlacementReads {
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
}
