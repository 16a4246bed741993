package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.process.Programs;
import dev.hapax.bootstrap.process.Requirement;
import dev.hapax.bootstrap.process.TestAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Runs the examples in Node, and programs of tests that use them. */
final class Npm {
  /** The examples. */
  static final Path EXAMPLES = Path.of("..", "examples", "node");

  /** Programs that call the examples in a way that tests need. */
  private static final Path PROGRAMS = Path.of("src", "test", "node").toAbsolutePath();

  /** npm writes it last. */
  private static final String INSTALLED = "node_modules/.package-lock.json";

  private Npm() {}

  /** Installs what the examples need; skips the test where there is no npm. */
  static void prepare() throws IOException {
    prepare(EXAMPLES);
  }

  /** Installs what the package of this folder needs; skips the test where there is no npm. */
  static synchronized void prepare(Path folder) throws IOException {
    assumeThere();
    install(folder);
  }

  /** Runs a script of the package of this folder, such as {@code generate}. */
  static void run(Path folder, String script) {
    succeed(folder, "npm", "run", script);
  }

  /** Starts a program of the examples, such as {@code worker.js}, as its reader does. */
  static HapaxProcess example(String target, String program) {
    return HapaxProcess.startProgram(EXAMPLES, TestAccess.variables(target), "node", program);
  }

  /** Starts a program of the tests with these arguments. */
  static HapaxProcess program(String target, String program, String... arguments) {
    var command =
        Stream.concat(
            Stream.of("node", PROGRAMS.resolve(program).toString()), Stream.of(arguments));
    return HapaxProcess.startProgram(
        EXAMPLES, TestAccess.variables(target), command.toArray(String[]::new));
  }

  /** Skips the test where there is no npm, which comes with Node. */
  private static void assumeThere() {
    Requirement.KITS.check(
        Programs.find("npm").isPresent() && Programs.find("node").isPresent(),
        "node and npm are not on the PATH, and the examples in Node need them");
  }

  /** Loads what the package of the folder depends on, unless an earlier test has. */
  private static void install(Path folder) throws IOException {
    var installed = folder.resolve(INSTALLED);
    var wanted = Files.getLastModifiedTime(folder.resolve("package.json"));
    if (Files.exists(installed) && Files.getLastModifiedTime(installed).compareTo(wanted) >= 0) {
      return;
    }
    // the lock file is that of all platforms
    succeed(folder, "npm", "install", "--no-save", "--prefer-offline", "--no-audit", "--no-fund");
  }

  private static void succeed(Path folder, String... command) {
    try (var npm = HapaxProcess.startProgram(folder, command)) {
      assertThat(npm.awaitExit()).as("%s: %s", List.of(command), npm.errors()).isZero();
    }
  }
}
