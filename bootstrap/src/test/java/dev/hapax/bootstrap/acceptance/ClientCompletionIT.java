package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.acceptance.CommitProxy.Cut;
import dev.hapax.client.ClientOptions;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.ControlOptions;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.SqlCompletionException;
import dev.hapax.client.claim.ActionException;
import dev.hapax.client.claim.ActionOutcome;
import dev.hapax.client.claim.ActionRequest;
import dev.hapax.client.claim.ActionResult;
import dev.hapax.client.claim.EntityKey;
import dev.hapax.client.operation.OperationRequest;
import dev.hapax.client.operation.Outcome;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The Java client completes in a transaction, whose COMMIT may be in doubt. */
class ClientCompletionIT {
  private final Deployment deployment = Deployment.shared();
  private final ClaimCaller invoices = ClaimCaller.to(deployment.target());
  private final SqlCaller sql = SqlCaller.to(deployment.database(), invoices.runs());
  private final PaymentTable payments =
      new PaymentTable(deployment.database(), invoices.workspace());
  private final CommitProxy proxy = new CommitProxy(sql.dataSource());
  private final HapaxClient client =
      HapaxClient.on(
          invoices.runs().caller().channel(),
          ClientOptions.DEFAULT.withWorkspace(invoices.workspace()));

  @AfterEach
  void close() {
    proxy.close();
    sql.close();
    invoices.close();
  }

  private static ActionRequest request(String id, String requester) {
    return ActionRequest.of(EntityKey.of(ClaimCaller.LIFECYCLE, id), "close", requester);
  }

  private ActionOutcome<Integer> close(String id, DataSource database) throws SQLException {
    return client
        .claims()
        .run(
            request(id, "admin"),
            database,
            (_, connection) -> {
              payments.pay(connection, id);
              return ActionResult.success(42);
            });
  }

  private Outcome<String> charge(String requestId, DataSource database) throws SQLException {
    return client
        .operations()
        .execute(
            OperationRequest.of("charge", requestId),
            PayloadCodec.json(),
            database,
            (_, connection) -> {
              payments.pay(connection, requestId);
              return "{\"receipt\": 7}";
            });
  }

  private void assertPaidOnce(String id) {
    assertThat(payments.of(id)).isEqualTo("1");
    assertThat(invoices.get(id).getStatus()).isEqualTo("closed");
  }

  @Test
  @Tag("D12")
  @DisplayName("given an action with a data source, then its writes and its status are one commit")
  void committed() throws SQLException {
    var id = invoices.approved("c-1").getId();
    var outcome = close(id, sql.dataSource());
    assertThat(outcome.orThrow()).isEqualTo(42);
    assertThat(outcome)
        .isInstanceOfSatisfying(
            ActionOutcome.Ran.class,
            ran -> assertThat(ran.entity().getStatus()).isEqualTo("closed"));
    assertPaidOnce(id);
    assertThat(close(id, sql.dataSource())).isEqualTo(new ActionOutcome.WrongStatus<>("closed"));
  }

  @Test
  @Tag("D13")
  @DisplayName("given an action whose claim was released, then its writes are rolled back")
  void lost() throws SQLException {
    var id = invoices.approved("c-2").getId();
    var outcome =
        client
            .claims()
            .run(
                request(id, "admin"),
                sql.dataSource(),
                (_, connection) -> {
                  payments.pay(connection, id);
                  var _ =
                      client
                          .entities()
                          .release(
                              EntityKey.of(ClaimCaller.LIFECYCLE, id),
                              ControlOptions.because("a test"));
                  return ActionResult.success(42);
                });
    assertThat(outcome)
        .isInstanceOfSatisfying(
            ActionOutcome.ClaimLost.class,
            claim ->
                assertThat(claim.failure())
                    .isInstanceOf(ActionException.ClaimLost.class)
                    .hasRootCauseInstanceOf(SQLException.class));
    assertThat(payments.of(id)).isEqualTo("0");
    assertThat(invoices.get(id).getStatus()).isEqualTo("approved");
  }

  @Test
  @Tag("D17")
  @DisplayName("given a COMMIT whose answer is lost, then the action has run")
  void answerLost() throws SQLException {
    var id = invoices.approved("c-3").getId();
    proxy.cut(Cut.AFTER);
    assertThat(close(id, proxy.dataSource()).orThrow()).isEqualTo(42);
    assertPaidOnce(id);
  }

  @Test
  @Tag("D17")
  @DisplayName("given a COMMIT that is lost, then nothing was committed, and a retry is granted")
  void commitLost() throws SQLException {
    var id = invoices.approved("c-4").getId();
    proxy.cut(Cut.BEFORE);
    assertThatThrownBy(() -> close(id, proxy.dataSource())).isInstanceOf(SQLException.class);
    assertThat(payments.of(id)).isEqualTo("0");
    assertThat(invoices.get(id).getStatus()).isEqualTo("approved");
    assertThat(close(id, proxy.dataSource()).orThrow()).isEqualTo(42);
    assertPaidOnce(id);
  }

  @Test
  @Tag("D17")
  @DisplayName("given a COMMIT on its way, then the client waits for it, and the action has run")
  void commitLate() {
    var id = invoices.approved("c-5").getId();
    proxy.cut(Cut.HELD);
    var outcome =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return close(id, proxy.dataSource());
              } catch (SQLException e) {
                throw new CompletionException(e);
              }
            });
    Condition.await("the commit is held", proxy::isHeld);
    Condition.await("Hapax waits for the lock of the transaction", this::isLocked);
    assertThat(outcome).isNotDone();
    proxy.release();
    assertThat(outcome.join().orThrow()).isEqualTo(42);
    assertPaidOnce(id);
  }

  private boolean isLocked() {
    return !deployment
        .database()
        .query(
            "SELECT count(*) FROM pg_stat_activity, unnest(pg_blocking_pids(pid)) blocker"
                + " WHERE blocker IN (SELECT pid FROM pg_stat_activity WHERE usename = '%s')"
                    .formatted(sql.role()))
        .equals("0");
  }

  @Test
  @Tag("D17")
  @Tag("D19")
  @DisplayName("given operations whose COMMIT is in doubt, then each has one effect")
  void operations() throws SQLException {
    proxy.cut(Cut.AFTER);
    assertThat(charge("r-1", proxy.dataSource()))
        .isEqualTo(new Outcome.Executed<>("{\"receipt\": 7}", true));
    assertThat(charge("r-1", sql.dataSource()))
        .isInstanceOfSatisfying(
            Outcome.Replayed.class,
            replay -> assertThat(replay.value()).isEqualTo("{\"receipt\": 7}"));
    assertThat(payments.of("r-1")).isEqualTo("1");

    proxy.cut(Cut.BEFORE);
    assertThatThrownBy(() -> charge("r-2", proxy.dataSource())).isInstanceOf(SQLException.class);
    assertThat(payments.of("r-2")).isEqualTo("0");
    assertThat(charge("r-2", sql.dataSource())).isInstanceOf(Outcome.Executed.class);
    assertThat(payments.of("r-2")).isEqualTo("1");
  }

  @Test
  @Tag("D11")
  @DisplayName("given a transaction of the caller that rolls back, then the action has failed")
  void ownTransaction() throws SQLException {
    var id = invoices.approved("c-6").getId();
    try (var connection = sql.begin()) {
      ActionOutcome<Integer> outcome =
          client
              .claims()
              .run(
                  request(id, "admin").withLease(Duration.ofSeconds(5)),
                  action -> {
                    payments.pay(connection, id);
                    var result = action.complete(connection, ActionResult.success(1));
                    connection.rollback();
                    return result;
                  });
      assertThat(outcome).isInstanceOf(ActionOutcome.Failed.class);
    }
    assertThat(payments.of(id)).isEqualTo("0");
    assertThat(invoices.get(id).getStatus()).isEqualTo("approved");
  }

  @Test
  @Tag("D21")
  @DisplayName("given a step without a claim state, or a role without a grant, then it is refused")
  void refused() {
    var id = invoices.approved("c-7").getId();
    assertThatThrownBy(
            () ->
                client
                    .claims()
                    .run(
                        request(id, "system"), sql.dataSource(), (_, _) -> ActionResult.success(1)))
        .isInstanceOf(SqlCompletionException.NoClaimState.class);
    try (var other = SqlCaller.without(deployment.database(), invoices.runs())) {
      deployment.database().execute("GRANT USAGE ON SCHEMA hapax TO " + other.role());
      assertThatThrownBy(() -> charge("r-3", other.dataSource()))
          .isInstanceOf(SqlCompletionException.NotGranted.class);
    }
    assertThat(invoices.get(id).getStatus()).isEqualTo("approved");
    assertThat(payments.of("r-3")).isEqualTo("0");
  }
}
