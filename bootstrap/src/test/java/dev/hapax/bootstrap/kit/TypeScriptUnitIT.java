package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Deployment;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tests of the TypeScript kit that its own test runner executes. */
class TypeScriptUnitIT {
  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName("given the installed package and a server, then the tests of the kit pass")
  void pass() throws IOException {
    try (var scene = new KitScene(Kit.TYPESCRIPT, Deployment.shared(), folder);
        var tests =
            TypeScriptKit.start(
                "--test", scene.environment(KitTestServer.variables()), "--test-reporter=tap")) {
      assertThat(tests.awaitExit(KitInstallation.PATIENCE))
          .as("%s", String.join("\n", tests.output()))
          .isZero();
      // a test that finds no server is skipped
      assertThat(tests.output()).contains("# skipped 0").doesNotContain("# pass 0");
    }
  }
}
