package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What the examples in Node need. */
final class Npm {
  /** npm writes it last. */
  private static final String INSTALLED = "node_modules/.package-lock.json";

  private Npm() {}

  /** Skips the test where there is no npm, which comes with Node. */
  static void assumeThere() {
    assumeTrue(
        isOnPath("npm") && isOnPath("node"),
        "skipped: node and npm are not on the PATH, and the examples in Node need them");
  }

  private static boolean isOnPath(String program) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  /** Loads what the package of the folder depends on, unless an earlier test has. */
  static void install(Path folder) throws IOException {
    var installed = folder.resolve(INSTALLED);
    var wanted = Files.getLastModifiedTime(folder.resolve("package.json"));
    if (Files.exists(installed) && Files.getLastModifiedTime(installed).compareTo(wanted) >= 0) {
      return;
    }
    try (var npm =
        HapaxProcess.startProgram(
            folder, "npm", "install", "--prefer-offline", "--no-audit", "--no-fund")) {
      assertThat(npm.awaitExit()).as("npm install: %s", npm.errors()).isZero();
    }
  }
}
