package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.acceptance.CommitProxy.Cut;
import dev.hapax.client.Definition;
import dev.hapax.client.Hapax;
import dev.hapax.client.HapaxException;
import dev.hapax.client.Intent;
import dev.hapax.client.Task;
import dev.hapax.client.Value;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.RunStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The Java client awaits intents, and its workers complete tasks in transactions. */
class ClientIntentIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Deployment deployment = Deployment.shared();
  private final RunCaller runs = RunCaller.to(deployment.target());
  private final SqlCaller sql = SqlCaller.to(deployment.database(), runs);
  private final PaymentTable payments = new PaymentTable(deployment.database(), runs.workspace());
  private final CommitProxy proxy = new CommitProxy(sql.dataSource());
  private final Hapax hapax =
      Hapax.builder(Map.of())
          .channel(runs.caller().channel())
          .workspace(runs.workspace())
          .connect();

  @AfterEach
  void close() {
    proxy.close();
    sql.close();
    runs.close();
  }

  @Test
  @Tag("D2")
  @DisplayName("given intents, then the client awaits those of a commit, and lists what failed")
  void intents() throws SQLException {
    runs.define("order", RunCaller.timer("pause", Caller.seconds(3_600)));
    var intents = hapax.intents();
    String rolledBack;
    try (var connection = sql.begin()) {
      rolledBack = sql.post(connection, "start_run", "'order'");
      connection.rollback();
    }
    assertThatThrownBy(() -> intents.await(rolledBack, PATIENCE))
        .isInstanceOfSatisfying(
            HapaxException.Refused.class,
            refused ->
                assertThat(refused.reason()).isEqualTo(ErrorReason.ERROR_REASON_INTENT_NOT_FOUND));
    var started = sql.post("start_run", "'order'");
    assertThat(intents.await(started, PATIENCE).message().getStarted().getRunId())
        .isEqualTo(started);
    var failed = sql.post("start_run", "'nothing'");
    intents.nudge();
    assertThat(intents.await(failed, PATIENCE).message().hasError()).isTrue();
    assertThat(intents.failed().map(Intent::ticket)).containsExactly(failed);
    assertThat(intents.posted()).isEmpty();
  }

  /** Pays in a transaction that also completes the task. */
  private Value pay(Task task, DataSource database) throws SQLException {
    try (var connection = database.getConnection()) {
      connection.setAutoCommit(false);
      payments.pay(connection, task.runId());
      var done = task.claim().completeIn(connection, new Value.Json("{\"receipt\": 7}"));
      connection.commit();
      return done;
    }
  }

  private void assertPaidOnce(String run) {
    var ended = hapax.runs().await(run, PATIENCE);
    assertThat(ended.status()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(ended.message().getOutput().getJson()).isEqualTo("{\"receipt\": 7}");
    assertThat(payments.of(run)).isEqualTo("1");
  }

  private String start() {
    hapax.definitions().register(Definition.of("payment", "1").task("pay", "payments"));
    return hapax.runs().start("payment").run().id();
  }

  @Test
  @Tag("D17")
  @Tag("D20")
  @DisplayName(
      "given tasks whose COMMIT succeeds, is in doubt or is lost, then each has one payment and"
          + " its run ends")
  void tasks() {
    var attempts = new AtomicInteger();
    try (var _ =
        hapax
            .worker()
            .concurrency(1)
            .step(
                "payments",
                "payment",
                "pay",
                task -> {
                  switch (attempts.incrementAndGet()) {
                    case 2 -> proxy.cut(Cut.AFTER);
                    case 3 -> proxy.cut(Cut.BEFORE);
                    default -> {
                      return pay(task, sql.dataSource());
                    }
                  }
                  return pay(task, proxy.dataSource());
                })
            .start()) {
      assertPaidOnce(start());
      assertPaidOnce(start());
      assertPaidOnce(start());
    }
    assertThat(attempts).as("only the lost commit is attempted again").hasValue(4);
  }
}
