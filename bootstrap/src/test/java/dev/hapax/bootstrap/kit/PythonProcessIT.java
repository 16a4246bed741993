package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Deployment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PythonProcessIT {
  private static final String LIFECYCLE =
      """
      {"lifecycle": "invoice", "module": "shop", "status_types": ["draft", "sent"],
       "steps": [{"step_key": "send", "status": "draft", "successful_state": {"billing": "sent"}}]}
      """;

  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName("given the installed kit, then its unit tests pass, and none is skipped")
  void unitTests() throws IOException {
    passes("*_test.py", Map.of());
  }

  @Test
  @DisplayName(
      "given a test server, then workflows wait for days, and agents are killed, in tests of seconds")
  void onTestServer() throws IOException {
    passes("server_it.py", KitTestServer.variables());
  }

  private static void passes(String files, Map<String, String> environment) throws IOException {
    Kit.PYTHON.prepare();
    try (var tests = PythonKit.startTests(files, environment)) {
      assertThat(tests.awaitExit()).as("%s", tests.errors()).isZero();
      assertThat(tests.errors()).anyMatch(line -> line.matches("Ran [1-9]\\d+ tests in .*"));
      assertThat(tests.errors()).last().isEqualTo("OK");
    }
  }

  @Test
  @DisplayName("given the installed kit, then it comes with its license")
  void license() throws IOException {
    Kit.PYTHON.prepare();
    try (var files = Files.walk(PythonKit.SITE)) {
      assertThat(files.filter(file -> file.endsWith("LICENSE")))
          .singleElement()
          .satisfies(
              license ->
                  assertThat(license)
                      .hasSameTextualContentAs(PythonKit.SOURCES.resolve("LICENSE")));
    }
  }

  @Test
  @DisplayName(
      "given hooks of a run, expected versions and stale holders, then a server accepts these options")
  void options() throws IOException {
    try (var scene = new KitScene(Kit.PYTHON, Deployment.shared(), folder)) {
      scene.define(Duration.ofSeconds(5));
      scene.client().lifecycles().apply(LIFECYCLE);
      try (var program = PythonKit.start("tests/options.py", scene.environment(Map.of()))) {
        assertThat(program.awaitExit()).as("%s", program.errors()).isZero();
        assertThat(program.output())
            .containsExactly(
                "creates for itself",
                "conflicts True",
                "creates for itself",
                "expects Refused CONCURRENCY_ERROR",
                "acts sent",
                "holds");
      }
    }
  }

  @Test
  @DisplayName("given a client made before a fork, then each process calls and renews for itself")
  void forks() throws IOException {
    try (var scene = new KitScene(Kit.PYTHON, Deployment.shared(), folder);
        var program = PythonKit.start("tests/fork.py", scene.environment(Map.of()))) {
      assertThat(program.awaitExit()).as("%s", program.errors()).isZero();
      assertThat(program.output()).containsExactly("worked", "worked", "worked", "worked");
    }
  }

  @Test
  @DisplayName("given a SIGTERM that another thread receives, then the worker drains")
  void terminated() throws IOException {
    try (var scene = new KitScene(Kit.PYTHON, Deployment.shared(), folder);
        var program = PythonKit.start("tests/sigterm.py", scene.environment(Map.of()))) {
      scene.define(Duration.ofSeconds(5));
      var run = scene.start();
      assertThat(program.awaitExit()).as("%s", program.errors()).isZero();
      assertThat(program.output()).containsExactly("drained");
      assertThat(scene.ended(run).getOutput().getJson()).isEqualTo("\"done\"");
    }
  }
}
