package dev.hapax.postgres.operation;

import static dev.hapax.postgres.schema.Tables.OPERATION;
import static dev.hapax.postgres.schema.Tables.OPERATION_RESULT;

import dev.hapax.domain.Page;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.postgres.intent.PendingIntentColumn;
import dev.hapax.postgres.ledger.PendingIntents;
import dev.hapax.postgres.ledger.PendingIntents.Stored;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.ledger.WorkspaceScope;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.WideReads;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
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
  private final WideReads wide;
  private final PendingIntents intents;

  public PostgresOperationReads(ReadExecutor reads, WideReads wide, PendingIntents intents) {
    this.reads = reads;
    this.wide = wide;
    this.intents = intents;
  }

  @Override
  public CompletableFuture<Optional<Operation>> find(OperationId id) {
    return intents.settled(() -> stored(id));
  }

  private CompletableFuture<Optional<Stored<Operation>>> stored(OperationId id) {
    return reads.submitInSnapshot(
        id.workspace(),
        (session, now) -> {
          var live = find(session, LIVE, id, PostgresOperationReads::live);
          var found =
              live.isPresent() ? live : find(session, FINISHED, id, PostgresOperationReads::ended);
          return found.filter(stored -> !stored.record().isForgotten(now));
        });
  }

  private static Stored<Operation> live(OperationId id, ResultSet row) throws SQLException {
    return new Stored<>(
        OperationRows.liveWithFailure(id.workspace(), row),
        PendingIntentColumn.of(OPERATION.PENDING_INTENT, id, row));
  }

  private static Stored<Operation> ended(OperationId id, ResultSet row) throws SQLException {
    return new Stored<>(OperationRows.finished(id.workspace(), row), Optional.empty());
  }

  @Override
  public CompletableFuture<Page<Listed, Position>> list(Query query) {
    return reads.submitInSnapshot(
        query.workspace(), (session, now) -> new OperationList(session, query, now).page());
  }

  @Override
  public CompletableFuture<Set<OperationId>> ended(Set<OperationId> held) {
    var asked = List.copyOf(held);
    return reads.submit(
        WorkspaceScope.of(asked.stream().map(OperationId::workspace).toList()),
        session -> {
          var ended = new HashSet<OperationId>();
          var pipeline = session.pipeline();
          pipeline.query(
              ENDED, KEYS.parameters(asked), row -> ended.add(asked.get(row.getInt(1) - 1)));
          pipeline.run();
          return ended;
        });
  }

  @Override
  public CompletableFuture<List<Forgotten>> forgotten(Instant from, int atMost) {
    return wide.submit(session -> ExpiredReleasedScan.forgotten(session, from, atMost));
  }

  /** Makes an operation of a row. */
  private interface Row {
    Stored<Operation> of(OperationId id, ResultSet row) throws SQLException;
  }

  private static Optional<Stored<Operation>> find(
      ReadSession session, String select, OperationId id, Row row) throws SQLException {
    try (var statement = session.connection().prepareStatement(select)) {
      statement.setString(1, id.workspace().name());
      statement.setObject(2, id.hash());
      try (var rows = statement.executeQuery()) {
        return rows.next() ? Optional.of(row.of(id, rows)) : Optional.empty();
      }
    }
  }
}
