package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The Python kit, installed from its wheel into a folder of this build. */
public final class PythonKit {
  static final Path SOURCES = Kit.FOLDER.resolve("python");
  private static final Path BUILT = Path.of("target", "kits", "python").toAbsolutePath();
  static final Path SITE = BUILT.resolve("site");

  /** The libraries of the kit come from the distribution, or from PyPI. */
  private static final String NEEDS =
      "import google.protobuf, grpc, importlib.util\n"
          + "assert all(map(importlib.util.find_spec, ['pip', 'setuptools', 'wheel']))";

  /** {@code -Dhapax.python=PATH} chooses another one, such as one with the newest libraries. */
  private static final Optional<String> PYTHON =
      Stream.of(System.getProperty("hapax.python", "python3"), "python3", "/usr/bin/python3")
          .filter(PythonKit::hasLibraries)
          .findFirst();

  private PythonKit() {}

  private static boolean hasLibraries(String python) {
    return succeeds(python, NEEDS);
  }

  private static boolean succeeds(String python, String code) {
    return KitInstallation.succeeds(SOURCES, python, "-c", code);
  }

  /** Builds the wheel and installs it, as pip does for users, without an index. */
  public static void install() throws IOException {
    Kit.require(
        PYTHON.isPresent(),
        "the Python kit needs a python3 with grpcio, protobuf, pip, setuptools and wheel"
            + " (Debian: python3-grpcio python3-protobuf python3-pip python3-setuptools"
            + " python3-wheel)");
    KitInstallation.once("python", PythonKit::build);
  }

  private static void build() throws IOException {
    run("rm", "-rf", BUILT.toString());
    // a build leaves its files beside the sources
    var copy = Files.createDirectories(BUILT.resolve("sources"));
    run(
        "cp",
        "-R",
        SOURCES.resolve("hapax").toString(),
        SOURCES.resolve("pyproject.toml").toString(),
        SOURCES.resolve("README.md").toString(),
        SOURCES.resolve("LICENSE").toString(),
        copy.toString());
    pip("wheel", "--no-build-isolation", "--wheel-dir=" + BUILT, copy.toString());
    pip("install", "--target=" + SITE, wheel().toString());
  }

  /** The driver of PostgreSQL that the examples use is that of the distribution. */
  static void requireDriver() {
    Kit.require(
        succeeds(PYTHON.orElseThrow(), "import psycopg2"),
        "these tests of the Python kit need psycopg2 (Debian: python3-psycopg2)");
  }

  private static Path wheel() throws IOException {
    try (var files = Files.list(BUILT)) {
      return files.filter(file -> file.toString().endsWith(".whl")).findFirst().orElseThrow();
    }
  }

  private static void pip(String command, String... arguments) {
    var all = new ArrayList<>(List.of(PYTHON.orElseThrow(), "-m", "pip", command));
    all.addAll(List.of("--quiet", "--no-index", "--no-deps", "--disable-pip-version-check"));
    all.addAll(List.of(arguments));
    run(all.toArray(String[]::new));
  }

  private static void run(String... command) {
    try (var program = HapaxProcess.startProgram(SOURCES, command)) {
      assertThat(program.awaitExit(KitInstallation.PATIENCE)).as("%s", program.errors()).isZero();
    }
  }

  /** How Python is started with the installed kit, for scripts; its arguments follow. */
  public static List<String> command() {
    return List.of("env", "PYTHONPATH=" + SITE, PYTHON.orElse("python3"));
  }

  /** Starts a program of the kit's folder, which uses the installed kit. */
  static HapaxProcess start(String program, Map<String, String> environment, String... arguments) {
    var command = new ArrayList<>(List.of(SOURCES.resolve(program).toString()));
    command.addAll(List.of(arguments));
    return start(environment, command);
  }

  /** Starts the tests of the kit in these files, such as {@code *_test.py}: its unit tests. */
  static HapaxProcess startTests(String files, Map<String, String> environment) {
    return start(environment, List.of("-m", "unittest", "discover", "tests", files));
  }

  private static HapaxProcess start(Map<String, String> environment, List<String> arguments) {
    var variables = new HashMap<>(environment);
    variables.put("PYTHONPATH", SITE.toString());
    var command = new ArrayList<>(List.of(PYTHON.orElseThrow()));
    command.addAll(arguments);
    return HapaxProcess.startProgram(SOURCES, variables, command.toArray(String[]::new));
  }
}
