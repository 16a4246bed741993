package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.DataDir;
import dev.hapax.bootstrap.process.HapaxProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("fault")
@Tag("secured")
class RunDatabaseFaultsIT {
  private static final int RUNS = 200;

  @Test
  @DisplayName(
      "runs end once though every backend is terminated again and again, or is away " + "[X3]")
  void survives() {
    run(10, RUNS);
  }

  @Test
  @Tag("soak")
  @DisplayName("runs end once though every backend is terminated, for long [X3]")
  void survivesForLong() {
    for (var i = 0; i < 50; i++) {
      run(20, 500);
    }
  }

  @Test
  @DisplayName("PostgreSQL is killed amid runs and started again; they end once [X3, R12]")
  void restarted(@TempDir Path folder) throws IOException {
    try (var data = new DataDir(folder.resolve("data"));
        var server =
            HapaxProcess.start("serve", "--listen=127.0.0.1:0", "--data-dir=" + data.path());
        var caller = RunCaller.to(server.awaitReady());
        var load = RunLoad.start(RUNS, caller)) {
      Condition.await("some are done", Condition.MUCH_WORK, () -> load.completed() >= RUNS / 4);
      assertThat(load.completed()).isLessThan(2 * RUNS);
      var killed = data.postmaster();
      data.killPostmaster();

      // callers may notice nothing: the server holds most commands until PostgreSQL is back
      load.finish();
      assertThat(data.postmaster()).isPresent().isNotEqualTo(killed);
      assertThat(server.isAlive()).isTrue();
    }
  }

  private static void run(int rounds, int runs) {
    try (var deployment = Deployment.start();
        var caller = RunCaller.to(deployment.target());
        var load = RunLoad.start(runs, caller)) {
      var random = new Random(rounds);
      var killed = 0;
      for (var round = 1; round <= rounds; round++) {
        var enough = runs * round / rounds / 2;
        Condition.await("some more are done", () -> load.completed() >= enough);
        killed += deployment.database().killConnections();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(50)));
      }
      assertThat(killed).isGreaterThan(rounds);
      assertThat(load.started()).isBetween(1, runs - 1);

      // as if it were restarted
      var before = load.timesUnavailable();
      deployment.database().allowConnections(false);
      deployment.database().disconnectAll();
      Condition.await("callers notice", () -> load.timesUnavailable() > before);
      deployment.database().allowConnections(true);

      load.finish();
      assertThat(deployment.server().isAlive()).isTrue();
    }
  }
}
