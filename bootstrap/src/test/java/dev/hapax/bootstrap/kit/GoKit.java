package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/** The Go kit, built with the libraries of Debian into a folder of this build. */
final class GoKit {
  static final Path SOURCES = Kit.FOLDER.resolve("go");

  private static final Path BUILT = Path.of("target", "kits", "go").toAbsolutePath();
  private static final Path LIBRARIES = Path.of("/usr/share/gocode/src");

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
        hasLibraries() && runs("go", "version") && runs("protoc-gen-go", "--version"),
        "the Go kit needs Go and its libraries; .ci/kits names the packages of Debian");
    run(Map.of(), "./build", BUILT.toString());
  }

  private static void run(Map<String, String> environment, String... command) {
    try (var program = HapaxProcess.startProgram(SOURCES, environment, command)) {
      assertThat(program.awaitExit(KitInstallation.PATIENCE))
          .as("%s %s", program.output(), program.errors())
          .isZero();
    }
  }

  /** Compiles a program of one file that uses the kit. */
  static void compile(String program, String source) throws IOException {
    var file = Files.createDirectories(BUILT.resolve("programs")).resolve(program + ".go");
    Files.writeString(file, source);
    run(
        Map.of("GO111MODULE", "off", "GOPATH", BUILT + ":" + LIBRARIES.getParent()),
        "go",
        "build",
        "-o",
        BUILT.resolve("bin").resolve(program).toString(),
        file.toString());
  }

  /** Starts a program that uses the kit. */
  static HapaxProcess start(String program, Map<String, String> environment, String... arguments) {
    var command =
        Stream.concat(
            Stream.of(BUILT.resolve("bin").resolve(program).toString()), Stream.of(arguments));
    return HapaxProcess.startProgram(SOURCES, environment, command.toArray(String[]::new));
  }
}
