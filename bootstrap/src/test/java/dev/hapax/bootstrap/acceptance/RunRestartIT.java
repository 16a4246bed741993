package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.RunStatus;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fault")
@Tag("secured")
@Tag("long")
class RunRestartIT {
  private static final int RUNS = 500;

  @Test
  @DisplayName(
      "with 500 runs in flight the only server is killed and started again, twice " + "[X2, R12]")
  void killed() {
    try (var deployment = Deployment.start();
        var caller = RunCaller.to(deployment.target());
        var load = RunLoad.start(RUNS, caller)) {
      var server = deployment.server();
      for (var enough : new int[] {RUNS / 10, RUNS / 2}) {
        Condition.await("some are done", Condition.MUCH_WORK, () -> load.completed() >= enough);
        server.kill9();
        assertThat(load.started()).isBetween(1, RUNS - 1);
        server = deployment.add();
        load.use(server.awaitReady());
      }
      load.finish();
      assertThat(load.timesUnavailable()).isPositive();
    }
  }

  @Test
  @DisplayName(
      "given two servers with 500 runs, when one is killed, then its runs continue " + "[X2, R12]")
  void oneOfTwoKilled() {
    try (var deployment = Deployment.start();
        var caller = RunCaller.to(deployment.target())) {
      var second = deployment.add();
      try (var other = caller.via(second.awaitReady());
          var load = RunLoad.start(RUNS, caller, other)) {
        Condition.await("some are done", Condition.MUCH_WORK, () -> load.completed() >= RUNS / 5);
        deployment.server().kill9();
        assertThat(load.started()).isBetween(1, RUNS - 1);
        Condition.await("callers notice", () -> load.timesUnavailable() > 0);
        load.use(second.awaitReady());
        load.finish();
      }
    }
  }

  @Test
  @DisplayName("given a waiting run, when the server restarts, then it continues once [R10]")
  void timerOutlivesRestart() {
    try (var deployment = Deployment.start();
        var caller = RunCaller.to(deployment.target())) {
      caller.define("order", RunCaller.timer("pause", Caller.seconds(10)), RunCaller.task("a"));
      var id = caller.started("order");
      assertThat(caller.get(id).getStatus()).isEqualTo(RunStatus.RUN_STATUS_WAITING);
      deployment.server().kill9();
      try (var after = caller.via(deployment.add().awaitReady())) {
        var task = after.poll("worker");
        assertThat(after.complete(task.getClaim(), "1").hasCompleted()).isTrue();
        // created, timer started, suspended, done; task started, done; run done
        assertThat(after.get(id).getVersion()).isEqualTo(7);
      }
    }
  }
}
