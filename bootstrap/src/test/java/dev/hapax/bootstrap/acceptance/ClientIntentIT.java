package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.acceptance.CommitProxy.Cut;
import dev.hapax.client.ClientOptions;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.HapaxException;
import dev.hapax.client.run.RunDefinition;
import dev.hapax.client.run.RunRequest;
import dev.hapax.client.worker.Completion;
import dev.hapax.client.worker.TaskContext;
import dev.hapax.client.worker.TaskResult;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.Intent;
import dev.hapax.v1.RunStatus;
import java.sql.SQLException;
import java.time.Duration;
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
  private final HapaxClient client =
      HapaxClient.on(
          runs.caller().channel(), ClientOptions.DEFAULT.withWorkspace(runs.workspace()));

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
    var intents = client.intents();
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
    assertThat(intents.await(started, PATIENCE).getStarted().getRunId()).isEqualTo(started);
    var failed = sql.post("start_run", "'nothing'");
    intents.nudge();
    assertThat(intents.await(failed, PATIENCE).hasError()).isTrue();
    assertThat(intents.failed().map(Intent::getTicket)).containsExactly(failed);
    assertThat(intents.posted()).isEmpty();
  }

  /** Pays in a transaction that also completes the task. */
  private TaskResult pay(TaskContext task, DataSource database) throws SQLException {
    try (var connection = database.getConnection()) {
      connection.setAutoCommit(false);
      payments.pay(connection, task.runId());
      var done = task.complete(connection, Completion.of(PayloadCodec.json(), "{\"receipt\": 7}"));
      connection.commit();
      return done;
    }
  }

  private void assertPaidOnce(String run) {
    var ended = client.runs().await(run, PATIENCE);
    assertThat(ended.getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(ended.getOutput().getJson()).isEqualTo("{\"receipt\": 7}");
    assertThat(payments.of(run)).isEqualTo("1");
  }

  private String start() {
    client.definitions().register(RunDefinition.of("payment", "1").task("pay", "payments"));
    return client.runs().start(RunRequest.of("payment")).getRun().getId();
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
        client
            .newWorker()
            .concurrency(1)
            .handle(
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
