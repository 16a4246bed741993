package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.StepDefinition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The claims of a restored state, which may be older than what their holders know. */
@Tag("fault")
@Tag("long")
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
      "given a server that was stopped while a restore was made, when it continues, then it answers no"
          + " call, is not ready and says so [kill-loops-2]")
  void serverOfBefore() throws Exception {
    try (var deployment = Deployment.configured("--metrics-listen=127.0.0.1:0");
        var caller = RunCaller.to(deployment.target())) {
      caller.define("order", charge());
      var run = caller.started("order");
      deployment.server().stop();
      deployment.database().execute("UPDATE hapax.node SET seen_at = seen_at - interval '61 s'");
      try (var doctor = doctor(deployment)) {
        assertThat(doctor.awaitExit()).as("%s", doctor.errors()).isZero();
      }
      deployment.server().cont();

      assertThatThrownBy(() -> caller.caller().acquire("after"))
          .hasMessageContaining("UNAVAILABLE")
          .hasMessageContaining("was restored");
      assertThatThrownBy(() -> caller.get(run))
          .as("the definition of the run is in memory")
          .hasMessageContaining("UNAVAILABLE")
          .hasMessageContaining("was restored");
      var reason = "after the server had started; restart the server";
      deployment.server().awaitError(line -> line.contains("not serving") && line.contains(reason));
      var ready = Probe.of(deployment.server()).get("/readyz");
      assertThat(ready.status()).isEqualTo(503);
      assertThat(ready.body()).contains("registration: ").contains(reason);
      assertThat(Probe.of(deployment.server()).get("/livez").status()).isEqualTo(200);
    }
  }

  @Test
  @DisplayName(
      "given a running server, when its database is replaced by a copy, then servers refuse to work"
          + " on it until doctor has run [operators-M1]")
  void replaced() throws Exception {
    try (var deployment = Deployment.configured("--metrics-listen=127.0.0.1:0");
        var caller = RunCaller.to(deployment.target())) {
      var server = deployment.server();
      var _ = caller.caller().acquire("before");
      deployment.database().replaceByCopy();

      var reason = "this is another database";
      server.awaitError(line -> line.contains("not serving") && line.contains(reason));
      var ready = Probe.of(server).get("/readyz");
      assertThat(ready.status()).isEqualTo(503);
      assertThat(Probe.of(server).metric("hapax_serving")).isZero();
      assertThat(ready.body())
          .contains("registration: " + reason)
          .contains("stop all servers, then run `hapax doctor --after-restore`");
      assertThatThrownBy(() -> caller.caller().acquire("after"))
          .hasMessageContaining("UNAVAILABLE")
          .hasMessageContaining(reason);
      try (var other = deployment.add()) {
        assertThat(other.awaitExit()).isNotZero();
        assertThat(other.errors()).last().asString().contains(reason);
      }
      assertThat(check(deployment, 1).errors()).anyMatch(line -> line.contains("1 check failed"));

      server.terminate();
      assertThat(server.awaitExit()).isZero();
      try (var doctor = doctor(deployment)) {
        assertThat(doctor.awaitExit()).as("%s", doctor.errors()).isZero();
      }
      deployment.add().awaitReady();
    }
  }

  /** Runs the checks of a database. */
  private static HapaxProcess check(Deployment deployment, int exit) {
    try (var doctor =
        HapaxProcess.start(
            "doctor",
            "--allow-unsafe-database=true",
            "--database-url=" + deployment.database().url())) {
      assertThat(doctor.awaitExit()).as("%s", doctor.output()).isEqualTo(exit);
      return doctor;
    }
  }

  @Test
  @DisplayName(
      "given a database that was moved while no server ran, when doctor runs with moved, then claims stay"
          + " valid [operators-M1]")
  void moved() throws Exception {
    try (var deployment = Deployment.start();
        var caller = Caller.to(deployment.target())) {
      var claim = caller.acquire("before");
      deployment.server().terminate();
      assertThat(deployment.server().awaitExit()).isZero();
      deployment.database().execute("UPDATE hapax.installation SET system_identifier = 4711");
      try (var other = deployment.add()) {
        assertThat(other.awaitExit()).isNotZero();
        assertThat(other.errors()).last().asString().contains("another database cluster");
      }
      try (var doctor =
          HapaxProcess.start(
              "doctor", "--after-restore=moved", "--database-url=" + deployment.database().url())) {
        assertThat(doctor.awaitExit()).as("%s", doctor.errors()).isZero();
        assertThat(doctor.output()).first().asString().contains("all claims are still valid");
      }
      try (var later = caller.via(deployment.add().awaitReady())) {
        assertThat(later.complete(claim, Caller.json("1")).hasCompleted()).isTrue();
      }
    }
  }
}
