package dev.hapax.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.postgres.TestDatabase;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The tests run on the PostgreSQL that was asked for, and on no other one in its place. */
class TestedDatabaseIT {
  @Test
  @DisplayName("given -Pcontainer, then the tests run on the PostgreSQL of the image")
  void container() {
    var isContainer = "container".equals(System.getenv("HAPAX_TEST_DATABASE"));
    var image = System.getenv().getOrDefault("HAPAX_TEST_IMAGE", "postgres:18");
    try (var database = TestDatabase.create()) {
      var folder = database.query("SHOW data_directory");
      var version = database.query("SHOW server_version");
      if (isContainer) {
        assertThat(folder).startsWith("/var/lib/postgresql");
        assertThat(version).startsWith(image.substring(image.indexOf(':') + 1));
      }
      assertThat(database.query("SHOW max_prepared_transactions")).isNotEqualTo("0");
    }
  }
}
