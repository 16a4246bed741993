package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StepStatus;
import io.grpc.Status.Code;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Completions in unusual transactions, of unusual records, and at the limits of sizes. */
class CompletionLimitsIT {
  private static final String CLAIM_LOST = "HX002";
  private static final String INVALID = "HX001";
  private static final String SERIALIZATION_FAILURE = "40001";
  private static final int LIMIT = 256 * 1024;

  private final Deployment deployment = Deployment.shared();
  private final ClaimCaller caller = ClaimCaller.to(deployment.target());
  private final RunCaller runs = caller.runs();
  private final SqlCaller sql = SqlCaller.to(deployment.database(), runs);

  @AfterEach
  void close() {
    sql.close();
    caller.close();
  }

  private static void assertRefused(String state, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo(state));
  }

  private void assertCompleted(ClaimedRecord record) {
    assertThat(record.isCompleted(caller)).as("%s", record).isTrue();
  }

  @Test
  @Tag("D11")
  @DisplayName("given a completion that is undone by ROLLBACK TO, then another one may follow")
  void savepoint() throws SQLException {
    for (var record : ClaimedRecord.ofEachKind(caller, 1)) {
      try (var connection = sql.begin()) {
        var before = connection.setSavepoint();
        record.complete(sql, connection);
        connection.rollback(before);
        record.complete(sql, connection);
        var refused = connection.setSavepoint();
        assertRefused(CLAIM_LOST, () -> record.complete(sql, connection));
        connection.rollback(refused);
        connection.commit();
      }
      assertCompleted(record);
    }
  }

  @Test
  @Tag("D11")
  @DisplayName(
      "given a completion that is undone by ROLLBACK TO, then the commit completes nothing")
  void undone() throws SQLException {
    for (var record : ClaimedRecord.ofEachKind(caller, 1)) {
      try (var connection = sql.begin()) {
        var before = connection.setSavepoint();
        record.complete(sql, connection);
        connection.rollback(before);
        connection.commit();
      }
      assertThat(record.renew(caller)).isTrue();
      assertThat(record.isCompleted(caller)).isFalse();
    }
  }

  @Test
  @DisplayName(
      "given tables that are still small, then a record is found by its index, as later on")
  void plans() throws SQLException {
    var records = ClaimedRecord.ofEachKind(caller, 1);
    deployment.database().execute("ANALYZE hapax.entity, hapax.run, hapax.operation");
    for (var record : records) {
      try (var connection = sql.begin();
          var statement = connection.createStatement()) {
        record.complete(sql, connection);
        var scans =
            statement.executeQuery(
                """
                SELECT sum(seq_scan) FROM pg_stat_xact_user_tables
                WHERE schemaname = 'hapax' AND relname IN ('entity', 'run', 'operation')""");
        assertThat(scans.next()).isTrue();
        assertThat(scans.getInt(1)).as("%s", record).isZero();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
  @Tag("D12")
  @DisplayName(
      "given stricter isolation, then a record is completed, unless it changed since the"
          + " transaction began")
  void isolation(int level) throws SQLException {
    for (var record : ClaimedRecord.ofEachKind(caller, 1)) {
      try (var connection = sql.begin()) {
        connection.setTransactionIsolation(level);
        begin(connection);
        assertThat(record.renew(caller)).isTrue();
        assertRefused(SERIALIZATION_FAILURE, () -> record.complete(sql, connection));
        connection.rollback();
        begin(connection);
        record.complete(sql, connection);
        connection.commit();
      }
      assertCompleted(record);
    }
  }

  /** Takes the snapshot of a transaction. */
  private static void begin(Connection connection) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute("SELECT 1");
    }
  }

  @Test
  @Tag("D12")
  @DisplayName("given a paused run, then its task is completed, and its next step after the pause")
  void paused() throws SQLException {
    runs.define("two", RunCaller.task("a"), RunCaller.task("b"));
    var run = runs.started("two");
    var claim = runs.poll("w").getClaim();
    var _ =
        runs.runs()
            .pauseRun(
                PauseRunRequest.newBuilder().setWorkspace(runs.workspace()).setRunId(run).build());
    try (var connection = sql.connect()) {
      var _ = sql.complete(connection, "complete_task", claim);
    }
    assertThat(runs.get(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_PAUSED);
    var _ =
        runs.runs()
            .resumeRun(
                ResumeRunRequest.newBuilder().setWorkspace(runs.workspace()).setRunId(run).build());
    assertThat(runs.steps(run).getFirst().getStatus()).isEqualTo(StepStatus.STEP_STATUS_COMPLETED);
    assertThat(runs.poll("w").getRun().getId()).isEqualTo(run);
  }

  @Test
  @Tag("D20")
  @DisplayName(
      "given calls that end a record, sent while its completion is open, then they find it completed")
  void endedMeanwhile() throws SQLException {
    var records = ClaimedRecord.ofEachKind(caller, 1);
    try (var connection = sql.begin()) {
      for (var record : records) {
        record.complete(sql, connection);
      }
      var calls =
          records.stream().map(record -> CompletableFuture.runAsync(() -> end(record))).toList();
      Condition.await(
          "a server waits",
          () ->
              Integer.parseInt(
                      deployment
                          .database()
                          .query(
                              "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                  + " AND datname = current_database()"))
                  > 0);
      connection.commit();
      calls.forEach(CompletableFuture::join);
    }
    records.forEach(this::assertCompleted);
  }

  private void end(ClaimedRecord record) {
    switch (record.kind()) {
      case ACTION ->
          assertThat(
                  caller
                      .fail(record.claim(), ActionFailureKind.ACTION_FAILURE_KIND_FAILURE)
                      .hasClaimLost())
              .isTrue();
      case TASK ->
          assertThat(
                  Refusal.of(
                          () ->
                              runs.runs()
                                  .cancelRun(
                                      CancelRunRequest.newBuilder()
                                          .setWorkspace(runs.workspace())
                                          .setRunId(record.name())
                                          .build()))
                      .code())
              .isEqualTo(Code.FAILED_PRECONDITION);
      case OPERATION ->
          assertThat(
                  Refusal.of(
                          () ->
                              runs.caller()
                                  .calls()
                                  .resolveOperation(
                                      runs.caller()
                                          .resolution(record.name())
                                          .setReject(Caller.failure("BY_HAND"))
                                          .build()))
                      .code())
              .isEqualTo(Code.FAILED_PRECONDITION);
    }
  }

  @Test
  @Tag("D12")
  @DisplayName("given payloads of the largest size, then they are stored; larger ones are refused")
  void sizes() throws SQLException {
    var records = ClaimedRecord.ofEachKind(caller, 1);
    for (var record : records) {
      try (var connection = sql.connect()) {
        assertRefused(INVALID, () -> complete(record, connection, text(LIMIT - 1)));
        complete(record, connection, text(LIMIT - 2));
      }
      assertCompleted(record);
    }
  }

  /** A JSON string of so many bytes and two quotes. */
  private static String text(int length) {
    return String.format(Locale.ROOT, "to_jsonb(repeat('~', %d))", length);
  }

  private void complete(ClaimedRecord record, Connection connection, String payload)
      throws SQLException {
    var _ = sql.complete(connection, record.function(), record.claim(), payload);
  }

  @Test
  @Tag("D12")
  @DisplayName("given patches that fill the state of a run, then it is stored, and no more fits")
  void state() throws SQLException {
    runs.define("two", RunCaller.task("a"), RunCaller.task("b"));
    var run = runs.started("two");
    var first = runs.poll("w").getClaim();
    try (var connection = sql.connect()) {
      // {"a": "…"} and {} together
      patch(connection, first, "a", LIMIT / 2 - 12);
      var second = runs.poll("w").getClaim();
      var state = runs.get(run).getState().getJson().length();
      var room = LIMIT - state - "{'b': ''}".length();
      assertRefused(INVALID, () -> patch(connection, second, "b", room + 1));
      patch(connection, second, "b", room);
    }
    assertThat(runs.awaitEnd(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(runs.get(run).getState().getJson()).hasSizeBetween(LIMIT - 10, LIMIT);
  }

  private void patch(Connection connection, Claim claim, String name, int length)
      throws SQLException {
    var _ =
        sql.complete(
            connection,
            "complete_task",
            claim,
            "NULL",
            String.format(Locale.ROOT, "jsonb_build_object('%s', repeat('~', %d))", name, length));
  }
}
