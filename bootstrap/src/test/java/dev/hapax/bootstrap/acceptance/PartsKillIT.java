package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fault")
@Tag("secured")
class PartsKillIT {
  private static final int RUNS = 100;

  @Test
  @Tag("P1")
  @Tag("P3")
  @Tag("P5")
  @Tag("P8")
  @DisplayName(
      "given parts that fail, workers that die in a payment and an operator who settles it, when the"
          + " only server is killed twice, then each payment happens once and each failure counts"
          + " once [workflows-P4, workflows-P11, workflows-P12]")
  void killed() throws Exception {
    try (var deployment = Deployment.start();
        var caller = RunCaller.to(deployment.target());
        var load = PartLoad.start(RUNS, caller)) {
      var server = deployment.server();
      for (var enough : new int[] {RUNS / 10, RUNS / 2}) {
        Condition.await("some are done", Condition.MUCH_WORK, () -> load.completed() >= enough);
        server.kill9();
        server = deployment.add();
        load.use(server.awaitReady());
      }
      load.finish();
      assertThat(load.died()).isPositive();
      assertThat(load.settled()).isPositive();
    }
  }
}
