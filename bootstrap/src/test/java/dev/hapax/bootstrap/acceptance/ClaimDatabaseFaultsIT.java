package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fault")
class ClaimDatabaseFaultsIT {
  private static final int ENTITIES = 200;
  private static final int ROUNDS = 10;

  @Test
  @DisplayName(
      "actions end once, and their effects with them, though every backend is "
          + "terminated again and again, or is away [X3, C1, C9]")
  void survives() throws ExecutionException, InterruptedException {
    try (var deployment = Deployment.start();
        var caller = ClaimCaller.to(deployment.target());
        var load = ClaimLoad.start(deployment.database(), ENTITIES, caller)) {
      var killed = 0;
      for (var round = 1; round <= ROUNDS; round++) {
        // on each entity at least two act
        var enough = ENTITIES * round / ROUNDS;
        Condition.await("some more have acted", () -> load.granted() >= enough);
        Condition.await("the server is connected again", () -> connections(deployment) > 1);
        killed += deployment.database().killConnections();
      }
      assertThat(killed).isGreaterThan(ROUNDS);

      var before = load.timesUnanswered();
      deployment.database().allowConnections(false);
      deployment.database().disconnectAll();
      Condition.await("callers notice", () -> load.timesUnanswered() > before);
      deployment.database().allowConnections(true);

      load.finish(caller);
      assertThat(deployment.server().isAlive()).isTrue();
    }
  }

  private static int connections(Deployment deployment) {
    return Integer.parseInt(
        deployment
            .database()
            .query(
                "SELECT count(*) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND pid <> pg_backend_pid()"));
  }
}
