package dev.hapax.postgres.operation;

import static dev.hapax.postgres.schema.Tables.OPERATION;
import static dev.hapax.postgres.schema.Tables.OPERATION_RESULT;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.ReadExecutor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jooq.impl.DSL;

/** Reads both tables of operations in one snapshot, since rows move between them. */
public final class PostgresOperationReads implements OperationReads {
  private static final UnnestRows<OperationId> KEYS =
      new UnnestRows<>("k", OperationColumns.key(id -> id));

  private static final String ENDED =
      RenderedSql.text(
          DSL.select(KEYS.number())
              .from(KEYS.table())
              .whereNotExists(
                  DSL.selectOne()
                      .from(OPERATION)
                      .where(
                          OPERATION.WORKSPACE.eq(KEYS.get(OPERATION.WORKSPACE)),
                          OPERATION.ID.eq(KEYS.get(OPERATION.ID)),
                          OPERATION.STATE.eq(
                              DSL.inline(OperationRows.code(Operation.State.IN_PROGRESS))))));

  private static final String FORGOTTEN =
      RenderedSql.text(
          DSL.select(OPERATION.WORKSPACE, OPERATION.ID, OPERATION.EXPIRES_AT)
              .from(OPERATION)
              .where(
                  OPERATION.STATE.eq(DSL.inline(OperationRows.code(Operation.State.RELEASED))),
                  OPERATION.EXPIRES_AT.le(DSL.currentOffsetDateTime()),
                  OPERATION.EXPIRES_AT.ge((OffsetDateTime) null))
              .orderBy(OPERATION.EXPIRES_AT)
              .limit(DSL.val(0)));

  private static final String LIVE =
      RenderedSql.text(
          DSL.selectFrom(OPERATION)
              .where(OPERATION.WORKSPACE.eq((String) null), OPERATION.ID.eq((UUID) null)));

  private static final String FINISHED =
      RenderedSql.text(
          DSL.selectFrom(OPERATION_RESULT)
              .where(
                  OPERATION_RESULT.WORKSPACE.eq((String) null),
                  OPERATION_RESULT.ID.eq((UUID) null),
                  OPERATION_RESULT.PURGE_ON.ge(DSL.currentLocalDate())));

  private final ReadExecutor reads;

  public PostgresOperationReads(ReadExecutor reads) {
    this.reads = reads;
  }

  @Override
  public CompletableFuture<Optional<Operation>> find(OperationId id) {
    return reads.submitInSnapshot(
        connection -> {
          var now = ReadExecutor.now(connection);
          var live = find(connection, LIVE, id, OperationRows::liveWithFailure);
          var found =
              live.isPresent() ? live : find(connection, FINISHED, id, OperationRows::finished);
          return found.filter(operation -> !operation.isForgotten(now));
        });
  }

  @Override
  public CompletableFuture<Page<Listed, Position>> list(Query query) {
    return reads.submitInSnapshot(
        connection -> new OperationList(connection, query, ReadExecutor.now(connection)).page());
  }

  @Override
  public CompletableFuture<Set<OperationId>> ended(Set<OperationId> held) {
    return reads.submit(
        connection -> {
          var asked = List.copyOf(held);
          var ended = new HashSet<OperationId>();
          var pipeline = new Pipeline(connection);
          pipeline.query(
              ENDED, KEYS.parameters(asked), row -> ended.add(asked.get(row.getInt(1) - 1)));
          pipeline.run();
          return ended;
        });
  }

  @Override
  public CompletableFuture<List<Forgotten>> forgotten(Instant from, int atMost) {
    return reads.submit(
        connection -> {
          var found = new ArrayList<Forgotten>();
          IndexScan.query(
              connection,
              FORGOTTEN,
              List.of(from.atOffset(ZoneOffset.UTC), atMost),
              row ->
                  found.add(
                      new Forgotten(
                          new OperationId(
                              new Workspace(row.getString(1)), row.getObject(2, UUID.class)),
                          row.getObject(3, OffsetDateTime.class).toInstant())));
          return found;
        });
  }

  /** Makes an operation of a row. */
  private interface Row {
    Operation of(Workspace workspace, ResultSet row) throws SQLException;
  }

  private static Optional<Operation> find(
      Connection connection, String select, OperationId id, Row row) throws SQLException {
    try (var statement = connection.prepareStatement(select)) {
      statement.setString(1, id.workspace().name());
      statement.setObject(2, id.hash());
      try (var rows = statement.executeQuery()) {
        return rows.next() ? Optional.of(row.of(id.workspace(), rows)) : Optional.empty();
      }
    }
  }
}
