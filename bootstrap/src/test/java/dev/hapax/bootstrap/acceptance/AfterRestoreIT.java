package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.StepDefinition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The claims of a restored state, which may be older than what their holders know. */
@Tag("fault")
class AfterRestoreIT {
  private static HapaxProcess doctor(Deployment deployment) {
    return HapaxProcess.start(
        "doctor", "--after-restore=replacement", "--database-url=" + deployment.database().url());
  }

  /** Its lease outlives the stop, and ends while the next worker waits. */
  private static StepDefinition charge() {
    return StepDefinition.newBuilder()
        .setName("charge")
        .setTask(RunCaller.work(Caller.seconds(15)))
        .build();
  }

  @Test
  @Tag("U6")
  @DisplayName(
      "given claims of every kind, when an epoch begins, then each is refused, and its work goes on"
          + " under a higher fence")
  void claimsOfBefore() throws Exception {
    try (var deployment = Deployment.start();
        var caller = ClaimCaller.to(deployment.target());
        var sql = SqlCaller.to(deployment.database(), caller.runs())) {
      var operations = caller.runs().caller();
      var operation = operations.acquireShortly("operation");
      var finished = operations.acquire("completed-in-sql");
      var _ = caller.approved("exclusive");
      var exclusive = caller.claimedShortly("exclusive");
      var _ = caller.approved("optimistic");
      var optimistic = caller.granted(caller.begin("optimistic", "close", "system")).getClaim();
      caller.runs().define("order", charge());
      var run = caller.runs().started("order");
      var task = caller.runs().poll("worker-1").getClaim();

      try (var tooEarly = doctor(deployment)) {
        assertThat(tooEarly.awaitExit()).isEqualTo(1);
        assertThat(tooEarly.errors().getLast()).contains("stop it first");
      }
      deployment.server().terminate();
      assertThat(deployment.server().awaitExit()).isZero();
      try (var connection = sql.connect()) {
        var _ = sql.complete(connection, "complete_operation", finished, "'\"by hand\"'");
      }
      try (var doctor = doctor(deployment)) {
        assertThat(doctor.awaitExit()).as("%s", doctor.errors()).isZero();
        assertThat(String.join("\n", doctor.output()))
            .contains("epoch 1 has begun")
            .containsPattern("operation +\\S+ +orders\\.v1\\.Orders/Place operation")
            .containsPattern("task +\\S+ +" + run + " +worker-1")
            .containsPattern("action +\\S+ +billing exclusive")
            .contains("intents posted in SQL, which servers will take: 1")
            .doesNotContain("completed-in-sql")
            .endsWith("servers can start");
      }

      try (var later = caller.via(deployment.add().awaitReady())) {
        var runs = later.runs();
        assertThat(runs.caller().complete(operation, Caller.json("1")).hasClaimLost()).isTrue();
        assertThat(runs.caller().renew(operation).hasClaimLost()).isTrue();
        assertThat(later.complete(exclusive).hasClaimLost()).isTrue();
        assertThat(later.complete(optimistic).hasClaimLost()).isTrue();
        assertThat(runs.complete(task, "1").hasClaimLost()).isTrue();

        assertThat(runs.caller().acquire("operation").getFence())
            .isGreaterThan(operation.getFence());
        assertThat(later.claimed("exclusive").getFence()).isGreaterThan(exclusive.getFence());
        var again = later.granted(later.begin("optimistic", "close", "system")).getClaim();
        assertThat(again.getFence()).isGreaterThan(optimistic.getFence());
        assertThat(later.complete(again).hasCompleted()).isTrue();
        var second = runs.poll("worker-2").getClaim();
        assertThat(second.getFence()).isGreaterThan(task.getFence());
        assertThat(runs.complete(second, "2").hasCompleted()).isTrue();
        assertThat(runs.caller().get("completed-in-sql").getState())
            .as("the completion was committed with the rows of its holder")
            .isEqualTo(OperationState.OPERATION_STATE_COMPLETED);
      }
    }
  }

  @Test
  @Tag("U6")
  @DisplayName(
      "given a server that was stopped while a restore was made, when it continues, then it is not"
          + " ready and says so")
  void serverOfBefore() throws Exception {
    try (var deployment = Deployment.configured("--metrics-listen=127.0.0.1:0")) {
      deployment.server().stop();
      deployment.database().execute("UPDATE hapax.node SET seen_at = seen_at - interval '61 s'");
      try (var doctor = doctor(deployment)) {
        assertThat(doctor.awaitExit()).as("%s", doctor.errors()).isZero();
      }
      deployment.server().cont();

      var reason = "after the server had started; restart the server";
      deployment.server().awaitError(line -> line.contains("not serving") && line.contains(reason));
      var ready = Probe.of(deployment.server()).get("/readyz");
      assertThat(ready.status()).isEqualTo(503);
      assertThat(ready.body()).contains("registration: ").contains(reason);
      assertThat(Probe.of(deployment.server()).get("/livez").status()).isEqualTo(200);
    }
  }
}
