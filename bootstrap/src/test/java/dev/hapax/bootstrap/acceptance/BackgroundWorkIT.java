package dev.hapax.bootstrap.acceptance;

import dev.hapax.testkit.postgres.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Work that no caller waits for. */
@Tag("fault")
@Tag("long")
class BackgroundWorkIT {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Test
  @DisplayName("given a database that is away, the log has the lines that the runbooks name")
  void logged() {
    try (var deployment = Deployment.start()) {
      var database = deployment.database();
      goAway(database);
      try {
        Condition.await(
            "a failed query is logged", PATIENCE, () -> logs(deployment, "query for janitors"));
        Condition.await(
            "a failed timer is logged", PATIENCE, () -> logs(deployment, "advance of due runs"));
      } finally {
        database.allowConnections(true);
      }
    }
  }

  private static void goAway(TestDatabase database) {
    database.allowConnections(false);
    database.disconnectAll();
  }

  private static boolean logs(Deployment deployment, String work) {
    return deployment.server().errors().stream()
        .anyMatch(line -> line.contains(" WARN ") && line.contains(work + " failed, will retry: "));
  }
}
