package dev.hapax.bootstrap.acceptance;

import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("A7")
@Tag("fault")
class ClaimKillIT {
  private static final int ENTITIES = 60;

  @Test
  @DisplayName(
      "a server is killed amid 240 who act on 60 entities by way of two; what was "
          + "acknowledged is there, once [X2, C1, C9]")
  void killed() throws ExecutionException, InterruptedException {
    try (var deployment = Deployment.start();
        var killed = ClaimCaller.to(deployment.target());
        var left = killed.via(deployment.add().awaitReady());
        var load = ClaimLoad.start(deployment.database(), ENTITIES, killed, left)) {
      Condition.await("some have acted", () -> load.granted() > ENTITIES);
      deployment.server().kill9();
      load.finish(left);
    }
  }
}
