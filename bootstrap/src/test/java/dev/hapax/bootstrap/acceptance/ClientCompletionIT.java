package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.acceptance.CommitProxy.Cut;
import dev.hapax.client.ActOutcome;
import dev.hapax.client.Action;
import dev.hapax.client.Codec;
import dev.hapax.client.Control;
import dev.hapax.client.Hapax;
import dev.hapax.client.HapaxException;
import dev.hapax.client.OnceOutcome;
import dev.hapax.client.Operation;
import dev.hapax.client.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
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
  private final Hapax hapax =
      Hapax.builder(Map.of())
          .channel(invoices.runs().caller().channel())
          .workspace(invoices.workspace())
          .connect();

  @AfterEach
  void close() {
    proxy.close();
    sql.close();
    invoices.close();
  }

  private static Action action(String id, String requester) {
    return Action.of(ClaimCaller.LIFECYCLE, id, "close", requester);
  }

  private ActOutcome<String> close(String id, DataSource database) throws SQLException {
    return hapax
        .entities()
        .tryAct(
            action(id, "admin"),
            Codec.jsonText(),
            claim ->
                Tx.run(
                    database,
                    claim,
                    connection -> {
                      payments.pay(connection, id);
                      return "42";
                    }));
  }

  private OnceOutcome<String> charge(String requestId, DataSource database) throws SQLException {
    return hapax.tryOnce(
        Operation.of("charge", requestId),
        Codec.jsonText(),
        claim ->
            Tx.run(
                database,
                claim,
                connection -> {
                  payments.pay(connection, requestId);
                  return "{\"receipt\": 7}";
                }));
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
    assertThat(outcome.orThrow()).isEqualTo("42");
    assertThat(outcome)
        .isInstanceOfSatisfying(
            ActOutcome.Done.class, done -> assertThat(done.entity().status()).isEqualTo("closed"));
    assertPaidOnce(id);
    assertThat(close(id, sql.dataSource())).isEqualTo(new ActOutcome.WrongStatus<>("closed"));
  }

  @Test
  @Tag("D13")
  @DisplayName("given an action whose claim was released, then its writes are rolled back")
  void lost() throws SQLException {
    var id = invoices.approved("c-2").getId();
    var outcome =
        hapax
            .entities()
            .tryAct(
                action(id, "admin"),
                Codec.jsonText(),
                claim ->
                    Tx.run(
                        sql.dataSource(),
                        claim,
                        connection -> {
                          payments.pay(connection, id);
                          var _ =
                              hapax
                                  .entities()
                                  .release(ClaimCaller.LIFECYCLE, id, Control.because("a test"));
                          return "42";
                        }));
    assertThat(outcome)
        .isInstanceOfSatisfying(
            OnceOutcome.ClaimLost.class,
            claim ->
                assertThat(claim.failure())
                    .isInstanceOf(HapaxException.ClaimLost.class)
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
    assertThat(close(id, proxy.dataSource()).orThrow()).isEqualTo("42");
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
    assertThat(close(id, proxy.dataSource()).orThrow()).isEqualTo("42");
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
    assertThat(outcome.join().orThrow()).isEqualTo("42");
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
        .isEqualTo(new OnceOutcome.Done<>("{\"receipt\": 7}", true));
    assertThat(charge("r-1", sql.dataSource()))
        .isInstanceOfSatisfying(
            OnceOutcome.Replayed.class,
            replay -> assertThat(replay.value()).isEqualTo("{\"receipt\": 7}"));
    assertThat(payments.of("r-1")).isEqualTo("1");

    proxy.cut(Cut.BEFORE);
    assertThatThrownBy(() -> charge("r-2", proxy.dataSource())).isInstanceOf(SQLException.class);
    assertThat(payments.of("r-2")).isEqualTo("0");
    assertThat(charge("r-2", sql.dataSource())).isInstanceOf(OnceOutcome.Done.class);
    assertThat(payments.of("r-2")).isEqualTo("1");
  }

  @Test
  @Tag("D11")
  @DisplayName("given a transaction of the caller that rolls back, then the action has failed")
  void ownTransaction() throws SQLException {
    var id = invoices.approved("c-6").getId();
    try (var connection = sql.begin()) {
      assertThatThrownBy(
              () ->
                  hapax
                      .entities()
                      .tryAct(
                          action(id, "admin").lease(Duration.ofSeconds(5)),
                          Codec.jsonText(),
                          claim -> {
                            payments.pay(connection, id);
                            var result = claim.completeIn(connection, "1");
                            connection.rollback();
                            return result;
                          }))
          .isInstanceOf(HapaxException.NotCommitted.class);
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
                hapax
                    .entities()
                    .tryAct(
                        action(id, "system"),
                        Codec.jsonText(),
                        claim -> Tx.run(sql.dataSource(), claim, _ -> "1")))
        .isInstanceOf(HapaxException.Refused.class)
        .hasMessageContaining("an action without a claim state");
    try (var other = SqlCaller.without(deployment.database(), invoices.runs())) {
      deployment.database().execute("GRANT USAGE ON SCHEMA hapax TO " + other.role());
      assertThatThrownBy(() -> charge("r-3", other.dataSource()))
          .isInstanceOf(HapaxException.Refused.class)
          .hasMessageContaining("grant it with hapax sql grant");
    }
    assertThat(invoices.get(id).getStatus()).isEqualTo("approved");
    assertThat(payments.of("r-3")).isEqualTo("0");
  }
}
