package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** The Go kit, built with the libraries of Debian into a folder of this build. */
final class GoKit {
  static final Path SOURCES = Kit.FOLDER.resolve("go");

  private static final Path BUILT = Path.of("target", "kits", "go").toAbsolutePath();
  private static final Path LIBRARIES = Path.of("/usr/share/gocode/src");

  /** With this code ends a program that has a data race. */
  static final int RACE = 66;

  private GoKit() {}

  private static boolean runs(String... command) {
    return KitInstallation.succeeds(SOURCES, command);
  }

  private static boolean hasLibraries() {
    return Stream.of("google.golang.org/grpc", "google.golang.org/protobuf", "github.com/lib/pq")
        .map(LIBRARIES::resolve)
        .allMatch(Files::isDirectory);
  }

  /** Builds the kit and the programs that use it, once. */
  static void install() throws IOException {
    KitInstallation.once("go", GoKit::build);
  }

  private static void build() {
    Kit.require(
        hasLibraries() && runs("go", "version"),
        "the Go kit needs Go and its libraries; .ci/kits names the packages of Debian");
    run(SOURCES, "env", "CONTRACT=true", "./build", BUILT.toString(), raceDetector());
  }

  /** An option of Go; the race detector needs a C compiler. */
  private static String raceDetector() {
    return "-race=" + hasRaceDetector();
  }

  static boolean hasRaceDetector() {
    return runs("gcc", "--version");
  }

  private static void run(Path folder, String... command) {
    run(folder, Map.of(), command);
  }

  private static void run(Path folder, Map<String, String> more, String... command) {
    var environment = new HashMap<>(more);
    environment.put("GO111MODULE", "off");
    environment.put("GOPATH", BUILT + ":" + LIBRARIES.getParent());
    try (var program = HapaxProcess.startProgram(folder, environment, command)) {
      assertThat(program.awaitExit(KitInstallation.PATIENCE))
          .as("%s %s", program.output(), program.errors())
          .isZero();
    }
  }

  /** Runs the unit tests of the kit. */
  static void test() {
    var kit = BUILT.resolve("src/hapax.dev/kits/go");
    run(kit, KitTestServer.variables(), "go", "test", raceDetector(), "./...");
  }

  /** Runs the test of a program, each of one file. */
  static void test(String program, String source, String test) throws IOException {
    var folder = Files.createDirectories(BUILT.resolve("programs"));
    Files.writeString(folder.resolve(program + ".go"), source);
    Files.writeString(folder.resolve(program + "_test.go"), test);
    var command = new String[] {"go", "test", program + ".go", program + "_test.go"};
    run(folder, KitTestServer.variables(), command);
  }

  /** Compiles a program of one file that uses the kit. */
  static void compile(String program, String source) throws IOException {
    var file = Files.createDirectories(BUILT.resolve("programs")).resolve(program + ".go");
    Files.writeString(file, source);
    run(
        SOURCES,
        "go",
        "build",
        raceDetector(),
        "-o",
        BUILT.resolve("bin").resolve(program).toString(),
        file.toString());
  }

  /** Starts a program that uses the kit. A data race ends it. */
  static HapaxProcess start(String program, Map<String, String> environment, String... arguments) {
    var variables = new HashMap<>(environment);
    variables.put("GORACE", "halt_on_error=1 exitcode=" + RACE);
    var command =
        Stream.concat(
            Stream.of(BUILT.resolve("bin").resolve(program).toString()), Stream.of(arguments));
    return HapaxProcess.startProgram(SOURCES, variables, command.toArray(String[]::new));
  }
}
