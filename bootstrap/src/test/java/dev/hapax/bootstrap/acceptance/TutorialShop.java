package dev.hapax.bootstrap.acceptance;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.process.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The program of the tutorial in each language. */
enum TutorialShop {
  NODE,
  PYTHON,
  JAVA;

  /** The folder of the tutorial's programs and configuration. */
  static final Path FOLDER = Path.of("..", "examples", "tutorial").toAbsolutePath().normalize();

  private static final String MAIN = "dev.hapax.examples.tutorial.Shop";
  private static final Path VENV = Path.of("target", "tutorial-python").toAbsolutePath();

  /** Without a network pip must give up soon. */
  private static final Map<String, String> PIP =
      Map.of("PIP_RETRIES", "0", "PIP_DEFAULT_TIMEOUT", "10");

  /** Installs what the program needs; skips the test where that is not available. */
  void prepare() throws IOException {
    switch (this) {
      case NODE -> Npm.prepare(FOLDER.resolve("node"));
      case PYTHON -> preparePython();
      case JAVA -> {}
    }
  }

  private static synchronized void preparePython() throws IOException {
    var installed = VENV.resolve("installed");
    if (Files.exists(installed)) {
      return;
    }
    assumeTrue(Programs.find("python3").isPresent(), "skipped: python3 is not on the PATH");
    assumeTrue(succeeds("python3", "-m", "venv", VENV.toString()), "skipped: no venv in python3");
    assumeTrue(
        succeeds(
            VENV.resolve("bin").resolve("pip").toString(),
            "install",
            "--quiet",
            // to compile them takes minutes
            "--only-binary=:all:",
            "--requirement",
            FOLDER.resolve("python").resolve("requirements.txt").toString()),
        "skipped: pip cannot install grpcio and grpcio-tools");
    Files.createFile(installed);
  }

  private static boolean succeeds(String... command) {
    try (var program = HapaxProcess.startProgram(Path.of("."), PIP, command)) {
      return program.awaitExit() == 0;
    }
  }

  /** Starts a command of the shop. */
  HapaxProcess start(Map<String, String> environment, String... arguments) {
    if (this == JAVA) {
      return HapaxProcess.startMain(MAIN, environment, arguments);
    }
    var command = new ArrayList<String>();
    if (this == NODE) {
      command.addAll(List.of("node", FOLDER.resolve("node").resolve("shop.js").toString()));
    } else {
      command.addAll(
          List.of(
              VENV.resolve("bin").resolve("python").toString(),
              FOLDER.resolve("python").resolve("shop.py").toString()));
    }
    command.addAll(List.of(arguments));
    return HapaxProcess.startProgram(FOLDER, environment, command.toArray(String[]::new));
  }
}
