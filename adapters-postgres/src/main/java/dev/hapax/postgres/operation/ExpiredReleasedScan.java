package dev.hapax.postgres.operation;

import static dev.hapax.postgres.schema.Tables.OPERATION;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationReads.Forgotten;
import dev.hapax.postgres.cell.MovedWorkspaces;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jooq.impl.DSL;

/** Finds released operations past their ttl, in all workspaces. */
final class ExpiredReleasedScan {
  private static final String FORGOTTEN =
      RenderedSql.text(
          DSL.select(OPERATION.WORKSPACE, OPERATION.ID, OPERATION.EXPIRES_AT)
              .from(OPERATION)
              .where(
                  OPERATION.STATE.eq(DSL.inline(OperationRows.code(Operation.State.RELEASED))),
                  OPERATION.EXPIRES_AT.le(DSL.currentOffsetDateTime()),
                  OPERATION.EXPIRES_AT.ge((OffsetDateTime) null),
                  MovedWorkspaces.excluded(OPERATION))
              .orderBy(OPERATION.EXPIRES_AT)
              .limit(DSL.val(0)));

  private ExpiredReleasedScan() {}

  static List<Forgotten> forgotten(ReadSession session, Instant from, int atMost)
      throws SQLException {
    var found = new ArrayList<Forgotten>();
    IndexScan.query(
        session,
        FORGOTTEN,
        List.of(from.atOffset(ZoneOffset.UTC), atMost),
        row ->
            found.add(
                new Forgotten(
                    new OperationId(new Workspace(row.getString(1)), row.getObject(2, UUID.class)),
                    row.getObject(3, OffsetDateTime.class).toInstant())));
    return found;
  }
}
