package dev.hapax.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How the test server is found. */
@Timeout(60)
class TestServerProcessTest {

  /** No server listens on this port. */
  private static final String NO_SERVER = "127.0.0.1:1";

  @TempDir private Path home;

  private void program(String script) throws IOException {
    Path program = Files.writeString(home.resolve("hapax"), "#!/bin/sh\n" + script);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  @DisplayName("given HAPAX_TEST_SERVER, then no process is started")
  void running() {
    TestServerProcess server =
        TestServerProcess.find(
            Map.of("HAPAX_TEST_SERVER", NO_SERVER, "HAPAX_HOME", home.toString()));

    assertThatThrownBy(() -> new TestHapax(server))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("the test server at " + NO_SERVER + " does not respond: ");
  }

  @Test
  @DisplayName("given HAPAX_HOME, then its program is started, whose first line is the address")
  void home() throws IOException {
    program("[ \"$1\" = test-server ] || exit 2\necho " + NO_SERVER + "\ncat");

    TestServerProcess server = TestServerProcess.find(Map.of("HAPAX_HOME", home.toString()));

    assertThatThrownBy(() -> new TestHapax(server)).hasMessageContaining(NO_SERVER);
  }

  @Test
  @DisplayName("given no program, then the message says how a test server is found")
  void missing() {
    assertThatThrownBy(() -> TestServerProcess.find(Map.of("HAPAX_HOME", home.toString())))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(
            "no test server found: set HAPAX_HOME to a Hapax distribution or checkout, put its"
                + " `hapax` on the PATH, or set HAPAX_TEST_SERVER to the address of a running"
                + " `hapax test-server` (")
        .hasMessageContaining(home.resolve("hapax").toString());
  }

  @Test
  @DisplayName("given a program that ends at once, then the message names it")
  void ends() throws IOException {
    program("exit 1");

    assertThatThrownBy(() -> TestServerProcess.find(Map.of("HAPAX_HOME", home.toString())))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("`" + home + "/hapax test-server` ended before it served; ");
  }
}
