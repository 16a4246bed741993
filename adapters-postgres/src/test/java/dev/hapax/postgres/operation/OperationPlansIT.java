package dev.hapax.postgres.operation;

import static dev.hapax.postgres.schema.Tables.OPERATION;
import static dev.hapax.postgres.schema.Tables.OPERATION_RESULT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.TimeRange;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.Grant;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.Operation.State;
import dev.hapax.domain.operation.OperationFilter;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationKey;
import dev.hapax.domain.operation.OperationReads.Query;
import dev.hapax.domain.operation.OperationSubject;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.operation.RecordAccess;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lists of operations go by an index. */
@Tag("long")
class OperationPlansIT {
  private static final int ALL = 50_000;
  private static final Workspace WORKSPACE = new Workspace("list");

  private static OperationNodes nodes;

  @BeforeAll
  static void start() throws SQLException {
    nodes = new OperationNodes(1);
    var at = Instant.now().truncatedTo(ChronoUnit.MICROS).minusSeconds(60);
    var key = new OperationKey(WORKSPACE, "", "pay", "1", false);
    var subject = new OperationSubject(key, Fingerprint.of(new byte[0]));
    var grant = new Grant(1, Fence.first(at), 1, "", at, at.plus(Duration.ofDays(1)));
    write(1, new Operation.InProgress(subject, grant, AttemptId.of("a"), at, OnStale.HOLD));
    write(2, new Operation.Completed(subject, grant, at, Optional.empty(), Optional.empty()));
    // one finished every ten minutes, and live ones of this and of other workspaces
    execute(
        String.format(
            Locale.ROOT,
            """
        INSERT INTO hapax.operation_result
        SELECT (jsonb_populate_record(r, jsonb_build_object(
          'id', gen_random_uuid(), 'started_at', now() - i * interval '10 minutes'))).*
        FROM hapax.operation_result r, generate_series(%1$d, 1, -1) i;
        INSERT INTO hapax.operation
        SELECT (jsonb_populate_record(o, jsonb_build_object(
          'id', gen_random_uuid(), 'state', 1,
          'workspace', CASE WHEN i %% 100 = 0 THEN 'list' ELSE 'other' END))).*
        FROM hapax.operation o, generate_series(1, %1$d) i;
        SELECT brin_summarize_new_values(indexrelid) FROM pg_index
        WHERE indexrelid::regclass::text LIKE '%%started_at_idx';
        ANALYZE hapax.operation_result;
        ANALYZE hapax.operation;
        """,
            ALL));
  }

  private static void write(int number, Operation operation) {
    var id = new OperationId(WORKSPACE, new UUID(number, number));
    var _ = nodes.submit(RecordAccess.write(id, Optional.of(operation))).join();
  }

  private static void execute(String sql) throws SQLException {
    try (var connection = nodes.dataSource().getConnection();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static String plan(Connection connection, Set<State> states, Table<?> table, Condition of)
      throws SQLException {
    var filter =
        new OperationFilter(
            states, false, Set.of(), Optional.empty(), TimeRange.ALL, TimeRange.ALL);
    var query = new Query(WORKSPACE, filter, false, 50, Optional.empty());
    var list = new OperationList(ReadSession.wide(connection), query, Instant.now());
    return DSL.using(connection, SQLDialect.POSTGRES).explain(list.select(table, of)).plan();
  }

  @Test
  @DisplayName(
      "given many operations, when they are listed, then the finished ones of a stretch go by the"
          + " block range index, and live ones by their workspace or state")
  void byIndex() throws SQLException {
    try (var connection = nodes.dataSource().getConnection();
        var statement = connection.createStatement()) {
      // plans are those of the server's role, to which row-level security applies
      statement.execute(SessionRoles.SEPARATED.beginRuntime());
      statement.execute("SELECT set_config('hapax.scope', 'list', false)");
      var from = Instant.now().minus(Duration.ofHours(8)).atOffset(ZoneOffset.UTC);

      var finished =
          plan(
              connection,
              Set.of(State.COMPLETED, State.REJECTED),
              OPERATION_RESULT,
              OPERATION_RESULT.STARTED_AT.ge(from));
      // a partition without rows is scanned
      assertThat(finished)
          .containsPattern("Bitmap Index Scan on operation_result_\\d+_started_at_idx");
      assertThat(plan(connection, Set.of(State.IN_PROGRESS), OPERATION, DSL.noCondition()))
          .contains("operation_pkey");
      assertThat(plan(connection, Set.of(State.INDETERMINATE), OPERATION, DSL.noCondition()))
          .contains("operation_indeterminate");
    }
  }
}
