package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.testkit.postgres.TestDatabase;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fault")
@Tag("long")
class NodeRegistrationIT {
  private static String live(TestDatabase database) {
    return database.query("SELECT count(*) FROM hapax.live_node");
  }

  private static String all(TestDatabase database) {
    return database.query("SELECT count(*) FROM hapax.node");
  }

  private static void age(TestDatabase database) {
    database.execute("UPDATE hapax.node SET seen_at = seen_at - interval '60 s'");
  }

  @Test
  @DisplayName(
      "given three servers, one killed and one stopped, then both become stale, and the stopped one"
          + " registers again when it continues")
  void servers() {
    try (var deployment = Deployment.start();
        var second = deployment.add();
        var third = deployment.add()) {
      second.awaitReady();
      third.awaitReady();
      var database = deployment.database();
      assertThat(live(database)).isEqualTo("3");
      assertThat(database.query("SELECT min(features) FROM hapax.live_node")).isEqualTo("3");

      second.kill9();
      second.awaitExit();
      third.stop();
      assertThat(live(database)).isEqualTo("3");
      age(database);
      Condition.await("the first one renews its row", () -> live(database).equals("1"));
      assertThat(all(database)).isEqualTo("3");

      third.cont();
      Condition.await("the third one renews its row", () -> live(database).equals("2"));

      third.terminate();
      third.awaitExit();
      assertThat(all(database)).as("the first one, and the killed one").isEqualTo("2");
    }
  }

  @Test
  @DisplayName("given a database that uses a newer feature, then the server says so and exits")
  void olderServer() {
    try (var deployment = Deployment.start()) {
      deployment.database().execute("UPDATE hapax.required_feature SET feature = 7");

      try (HapaxProcess older = deployment.add()) {
        assertThat(older.awaitExit()).isNotZero();
        assertThat(older.errors())
            .anySatisfy(
                line ->
                    assertThat(line)
                        .contains("knows features up to 3", "uses feature 7 of a newer version"));
      }
    }
  }
}
