package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import java.sql.SQLException;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Completions in the caller's own transaction, beside its own writes. */
class CompletionIT {
  private static final String ACTION = "complete_action";
  private static final String TASK = "complete_task";
  private static final String OPERATION = "complete_operation";
  private static final String CLAIM_LOST = "HX002";
  private static final String NO_CLAIM_STATE = "HX003";
  private static final String INVALID = "HX001";

  private final Deployment deployment = Deployment.shared();
  private final ClaimCaller invoices = ClaimCaller.to(deployment.target());
  private final RunCaller runs = invoices.runs();
  private final SqlCaller sql = SqlCaller.to(deployment.database(), runs);
  private final PaymentTable payments =
      new PaymentTable(deployment.database(), invoices.workspace());

  @AfterEach
  void close() {
    sql.close();
    invoices.close();
  }

  private static void assertRefused(String state, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SQLException.class, refused -> assertThat(refused.getSQLState()).isEqualTo(state));
  }

  @Test
  @Tag("D11")
  @DisplayName("given a completion that is rolled back, then the action is still held")
  void rolledBack() throws SQLException {
    var id = invoices.approved("i-1").getId();
    var claim = invoices.claimed(id);
    try (var connection = sql.begin()) {
      payments.pay(connection, id);
      var ticket = sql.complete(connection, ACTION, claim);
      assertThat(ticket).startsWith("intent_");
      connection.rollback();
    }
    assertThat(payments.of(id)).isEqualTo("0");
    assertThat(invoices.get(id).getStatus()).isEqualTo("closing");
    assertThat(invoices.renew(claim, Caller.seconds(30)).hasRenewed()).isTrue();
    assertThat(invoices.complete(claim).hasCompleted()).isTrue();
  }

  @Test
  @Tag("D12")
  @DisplayName(
      "given a completion that is committed, then every read shows it, and its after-effect starts")
  void committed() throws SQLException {
    var id = invoices.approved("i-2").getId();
    var claim = invoices.claimed(id);
    String ticket;
    try (var connection = sql.begin()) {
      payments.pay(connection, id);
      SqlCaller.trace(connection, SqlCaller.SPAN);
      ticket = sql.complete(connection, ACTION, claim, "'{\"amount\": 42}'");
      assertThat(invoices.get(id).getStatus()).isEqualTo("closing");
      connection.commit();
    }
    // at once, before any server has scanned
    assertThat(invoices.get(id).getStatus()).isEqualTo("closed");
    assertThat(payments.of(id)).isEqualTo("1");
    assertThat(invoices.history(id).getLast())
        .isEqualTo(EntityEventType.ENTITY_EVENT_TYPE_ACTION_COMPLETED);
    var event = invoices.events(id).getLast();
    assertThat(event.getPrincipal()).isEqualTo("sql:" + sql.role());
    var effect = sql.await(ticket).getCompleted().getRunId();
    assertThat(runs.get(effect).getInput().getJson()).contains("\"amount\": 42", id);
    assertThat(runs.get(effect).getTraceparent()).isEqualTo(SqlCaller.SPAN);
    // a late call of the holder finds it completed
    assertThat(invoices.complete(claim).getCompleted().getAlready()).isTrue();
  }

  @Test
  @Tag("D13")
  @DisplayName("given a lost lease, then the completion fails, and the caller's writes with it")
  void lost() throws SQLException {
    var id = invoices.approved("i-3").getId();
    var lost = invoices.claimedShortly(id);
    invoices.sweepUntilFreed(1);
    var held = invoices.claimed(id);
    try (var connection = sql.begin()) {
      payments.pay(connection, id);
      assertRefused(CLAIM_LOST, () -> sql.complete(connection, ACTION, lost));
      connection.rollback();
    }
    assertThat(payments.of(id)).isEqualTo("0");
    assertThat(invoices.get(id).getStatus()).isEqualTo("closing");
    try (var connection = sql.begin()) {
      payments.pay(connection, id);
      var _ = sql.complete(connection, ACTION, held);
      connection.commit();
    }
    assertThat(invoices.get(id).getStatus()).isEqualTo("closed");
    assertThat(payments.of(id)).isEqualTo("1");
  }

  @Test
  @Tag("D14")
  @DisplayName(
      "given a lease that has expired, when the completion commits, then no sweep reverts it")
  void expired() throws SQLException {
    var id = invoices.approved("i-4").getId();
    var claim = invoices.claimedShortly(id);
    var due = invoices.get(id).getClaim().getLeaseUntil();
    try (var connection = sql.begin()) {
      var _ = sql.complete(connection, ACTION, claim);
      Condition.await(
          "the lease expires", () -> System.currentTimeMillis() > due.getSeconds() * 1_000 + 1_000);
      connection.commit();
    }
    assertThat(invoices.sweep().getFreed()).isZero();
    assertThat(invoices.get(id).getStatus()).isEqualTo("closed");
    assertThat(invoices.history(id))
        .doesNotContain(EntityEventType.ENTITY_EVENT_TYPE_CLAIM_REVERTED);
  }

  @Test
  @DisplayName("given two transactions with one claim, then the second waits, and is refused")
  void twice() throws SQLException {
    var id = invoices.approved("i-5").getId();
    var claim = invoices.claimed(id);
    try (var first = sql.begin();
        var second = sql.begin()) {
      var _ = sql.complete(first, ACTION, claim);
      var waits =
          CompletableFuture.runAsync(
              () -> assertRefused(CLAIM_LOST, () -> sql.complete(second, ACTION, claim)));
      Condition.await(
          "the second waits for the first",
          () ->
              deployment
                  .database()
                  .query(
                      "SELECT count(*) FROM pg_stat_activity WHERE usename = '%s' AND wait_event_type = 'Lock'"
                          .formatted(sql.role()))
                  .equals("1"));
      first.commit();
      waits.join();
    }
    assertThat(invoices.get(id).getStatus()).isEqualTo("closed");
  }

  @Test
  @Tag("D19")
  @DisplayName("given an operation that is completed in a transaction, then its result is replayed")
  void operation() throws SQLException {
    var calls = runs.caller();
    var claim = calls.acquire("charge-1");
    try (var connection = sql.begin()) {
      payments.pay(connection, "charge-1");
      var _ = sql.complete(connection, OPERATION, claim, "'{\"receipt\": 7}'");
      connection.commit();
    }
    var replay = calls.send(calls.begin("charge-1")).getReplay();
    assertThat(replay.getResult().getJson()).isEqualTo("{\"receipt\": 7}");
    assertThat(calls.get("charge-1").getState())
        .isEqualTo(OperationState.OPERATION_STATE_COMPLETED);

    var crashed = calls.acquireShortly("charge-2");
    try (var connection = sql.begin()) {
      payments.pay(connection, "charge-2");
      var _ = sql.complete(connection, OPERATION, crashed);
      // the connection is lost before the commit
    }
    Condition.await("the lease expires", () -> calls.send(calls.begin("charge-2")).hasAcquired());
    assertThat(payments.of("charge-2")).isEqualTo("0");
    try (var connection = sql.begin()) {
      assertRefused(CLAIM_LOST, () -> sql.complete(connection, OPERATION, crashed));
    }
  }

  @Test
  @Tag("D20")
  @DisplayName(
      "given a task that is completed in a transaction, then a later cancellation follows it")
  void task() throws SQLException {
    runs.define("order", RunCaller.task("charge"), RunCaller.task("ship"));
    var run = runs.started("order");
    var claim = runs.poll("w").getClaim();
    try (var connection = sql.begin()) {
      var _ = sql.complete(connection, TASK, claim, "'{\"paid\": true}'", "'{\"charge\": 42}'");
      connection.commit();
    }
    var _ =
        runs.runs()
            .cancelRun(
                CancelRunRequest.newBuilder().setWorkspace(runs.workspace()).setRunId(run).build());
    assertThat(runs.events(run).stream().map(RunEvent::getType))
        .containsSubsequence(
            RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED, RunEventType.RUN_EVENT_TYPE_CANCELLED);
    assertThat(runs.get(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    assertThat(runs.get(run).getState().getJson()).isEqualTo("{\"charge\":42}");
  }

  @Test
  @DisplayName(
      "given a run whose task is completed in a transaction, then the next step is granted")
  void nextStep() throws SQLException {
    runs.define("order", RunCaller.task("charge"), RunCaller.task("ship"));
    var run = runs.started("order");
    for (var step = 0; step < 2; step++) {
      var claim = runs.poll("w").getClaim();
      try (var connection = sql.connect()) {
        var _ =
            sql.complete(
                connection, TASK, claim, String.format(Locale.ROOT, "'{\"step\": %d}'", step));
      }
    }
    assertThat(runs.awaitEnd(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(runs.get(run).getOutput().getJson()).isEqualTo("{\"step\": 1}");
  }

  @Test
  @Tag("D21")
  @DisplayName(
      "given an action without a claim state, then it cannot be completed in a transaction")
  void optimistic() throws SQLException {
    var id = invoices.approved("i-6").getId();
    var claim = invoices.granted(invoices.begin(id, "close", "system")).getClaim();
    try (var connection = sql.begin()) {
      assertRefused(NO_CLAIM_STATE, () -> sql.complete(connection, ACTION, claim));
    }
    assertThat(invoices.complete(claim).hasCompleted()).isTrue();
  }

  @Test
  @DisplayName("given arguments that are no claim or too large, then the function names them")
  void invalid() throws SQLException {
    var id = invoices.approved("i-7").getId();
    var claim = invoices.claimed(id);
    var other = claim.toBuilder().setFence(claim.getFence() + 1).build();
    try (var connection = sql.connect()) {
      for (var text :
          new String[] {"", "action_", "action_A", "action_$$$$", "action_AAAA", "op_AAAA"}) {
        var none = Claim.newBuilder().setId(text).setFence(1).build();
        assertRefused(INVALID, () -> sql.complete(connection, ACTION, none));
      }
      assertRefused(INVALID, () -> sql.complete(connection, TASK, claim));
      assertRefused(CLAIM_LOST, () -> sql.complete(connection, ACTION, other));
      assertRefused(
          INVALID, () -> sql.complete(connection, ACTION, claim, "to_jsonb(repeat('x', 262144))"));
    }
    assertThat(invoices.complete(claim).hasCompleted()).isTrue();
  }
}
