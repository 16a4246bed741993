package dev.hapax.bootstrap.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script of a distribution, which has nothing to build, and its cache for a fast start. */
@Tag("nightly")
class StartScriptIT {
  private static final Path REPOSITORY =
      Path.of(System.getProperty("maven.multiModuleProjectDirectory", ".."));
  private static final String RECORDING = "hapax: recording a cache";
  private static final Map<String, String> ONLY_WITH_CACHE =
      Map.of("HAPAX_JAVA_OPTS", "-XX:AOTMode=on", "JAVA_HOME", System.getProperty("java.home"));

  @TempDir private Path folder = Path.of("");
  private Path home = Path.of("");
  private Path target = Path.of("");

  @BeforeEach
  void unpack() throws IOException {
    home = folder.resolve("a folder's * name");
    target = Files.createDirectories(home.resolve("app"));
    var built = REPOSITORY.resolve("bootstrap/target").toAbsolutePath();
    Files.copy(REPOSITORY.resolve("hapax"), home.resolve("hapax"));
    Files.copy(built.resolve("hapax.jar"), target.resolve("hapax.jar"));
    Files.createSymbolicLink(target.resolve("lib"), built.resolve("lib"));
  }

  private int version(Map<String, String> environment) {
    try (var hapax = HapaxProcess.startProgram(home, environment, "sh", "./hapax", "--version")) {
      var code = hapax.awaitExit();
      assertThat(hapax.errors())
          .as("%s", hapax.output())
          .allSatisfy(line -> assertThat(line).startsWith(RECORDING));
      assertThat(hapax.output()).first().asString().startsWith("hapax ");
      return code;
    }
  }

  private List<Path> caches() throws IOException {
    try (var files = Files.list(target)) {
      return files.filter(file -> file.toString().endsWith(".aot")).toList();
    }
  }

  /** Runs a command of a shell with the character set ASCII, in the folder of the script. */
  private HapaxProcess ascii(String command) {
    var environment = Map.of("JAVA_HOME", System.getProperty("java.home"), "LC_ALL", "C");
    return HapaxProcess.startProgram(home, environment, "sh", "-c", command);
  }

  @Test
  @DisplayName(
      "given a shell with ASCII, then the script takes arguments in UTF-8, and the program alone"
          + " refuses them [public-reports-F2]")
  void characterSet() {
    try (var script = ascii("./hapax \"$(printf 'or\\303\\244')\"")) {
      assertThat(script.awaitExit()).isEqualTo(2);
      assertThat(script.errors()).anyMatch(line -> line.contains("'or\u00e4'"));
    }
    try (var program = ascii("$JAVA_HOME/bin/java -jar app/hapax.jar \"$(printf '\\303\\244')\"")) {
      assertThat(program.awaitExit()).isEqualTo(2);
      assertThat(program.errors())
          .singleElement()
          .asString()
          .startsWith("hapax: argument 1 has bytes outside")
          .endsWith("set LC_ALL=C.UTF-8");
    }
  }

  @Test
  @DisplayName("given the first use, then a cache is made, used, and made again for another build")
  void makesACache() throws IOException {
    assertThat(version(ONLY_WITH_CACHE)).isZero();
    var cache = caches().getFirst();
    assertThat(Files.size(cache)).isPositive();
    var made = Files.getLastModifiedTime(cache);
    assertThat(version(ONLY_WITH_CACHE)).isZero();
    assertThat(Files.getLastModifiedTime(cache)).isEqualTo(made);

    Files.setLastModifiedTime(cache, FileTime.from(Instant.EPOCH));
    assertThat(version(ONLY_WITH_CACHE)).isZero();
    assertThat(caches()).containsExactly(cache);
    assertThat(Files.getLastModifiedTime(cache)).isGreaterThan(made);
  }

  @Test
  @DisplayName("given a distribution, when the bench is started, then it refers to the sources")
  void hasNoBench() throws IOException {
    var java = Map.of("JAVA_HOME", System.getProperty("java.home"));
    try (var hapax =
        HapaxProcess.startProgram(home, java, "sh", "./hapax", "bench", "operations")) {
      assertThat(hapax.awaitExit()).isEqualTo(2);
      assertThat(hapax.errors())
          .singleElement()
          .asString()
          .startsWith("hapax: bench is not part of this distribution");
    }
    assertThat(caches()).isEmpty();
  }

  @Test
  @DisplayName(
      "given a distribution, then its test server prints its address, and ends with standard input")
  void servesTests() throws IOException {
    var built = REPOSITORY.resolve("test-server/target").toAbsolutePath();
    var module = Files.createDirectories(home.resolve("test-server"));
    for (var part : List.of("hapax-test-server.jar", "lib")) {
      Files.createSymbolicLink(module.resolve(part), built.resolve(part));
    }
    var java = Map.of("JAVA_HOME", System.getProperty("java.home"));
    try (var hapax =
        HapaxProcess.startProgram(home, java, "sh", "-c", "./hapax test-server </dev/null")) {
      assertThat(hapax.awaitExit()).isZero();
      assertThat(hapax.output()).singleElement().asString().matches("127\\.0\\.0\\.1:\\d+");
      assertThat(hapax.errors()).isEmpty();
    }
  }

  private HapaxProcess serve(Map<String, String> environment) {
    return HapaxProcess.startProgram(
        home,
        environment,
        "sh",
        "./hapax",
        "serve",
        "--listen=127.0.0.1:0",
        "--data-dir=" + folder.resolve("data"));
  }

  @Test
  @DisplayName("given the first server, then a cache is trained, and nothing else is left of that")
  void trainsAServer() throws Exception {
    try (var hapax = serve(ONLY_WITH_CACHE)) {
      hapax.awaitReady();
      assertThat(caches())
          .singleElement()
          .satisfies(cache -> assertThat(cache.getFileName().toString()).contains("-server-"));
      assertThat(target.resolve("training")).doesNotExist();
      // without a terminal, a server ignores it
      Signals.send("HUP", hapax.pid());
      TimeUnit.MILLISECONDS.sleep(500);
      assertThat(hapax.isAlive()).isTrue();
      hapax.terminate();
      assertThat(hapax.awaitExit()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 5, 10})
  @DisplayName(
      "given the first start of a server, when it gets SIGTERM, then after 5 s no process and no file"
          + " is left, and a line has said what it does within 2 s [operators-S9]")
  void endsTheTraining(int seconds) throws Exception {
    var before = files();
    try (var hapax = serve(Map.of("JAVA_HOME", System.getProperty("java.home")))) {
      var began = System.nanoTime();
      hapax.awaitError(line -> line.startsWith(RECORDING));
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(2));
      TimeUnit.SECONDS.sleep(seconds);
      var stopped = System.nanoTime();
      hapax.terminate();
      assertThat(hapax.awaitExit()).isEqualTo(143);
      while (processes() > 0) {
        assertThat(Duration.ofNanos(System.nanoTime() - stopped)).isLessThan(Duration.ofSeconds(5));
        TimeUnit.MILLISECONDS.sleep(50);
      }
      assertThat(files()).isEqualTo(before);
    }
  }

  private List<Path> files() throws IOException {
    try (var files = Files.list(target)) {
      return files.sorted().toList();
    }
  }

  /** Those whose command line names the folder of the script. */
  private long processes() {
    return ProcessHandle.allProcesses()
        .filter(each -> each.info().commandLine().orElse("").contains(target.toString()))
        .count();
  }

  @Test
  @DisplayName("given no server can be trained, then one starts with the cache of the commands")
  void servesWithoutTraining() throws IOException {
    assertThat(version(ONLY_WITH_CACHE)).isZero();
    Files.writeString(target.resolve("training"), "not a folder");
    try (var hapax = serve(ONLY_WITH_CACHE)) {
      hapax.awaitReady();
      assertThat(caches()).hasSize(2);
      hapax.terminate();
      assertThat(hapax.awaitExit()).isZero();
    }
  }

  @Test
  @DisplayName("given another first use at the same time, then a command starts without the cache")
  void doesNotWaitForACache() throws IOException {
    var java = Map.of("JAVA_HOME", System.getProperty("java.home"));
    assertThat(version(java)).isZero();
    var cache = caches().getFirst();
    Files.delete(cache);
    Files.createDirectory(Path.of(cache + ".lock"));

    assertThat(version(java)).isZero();
    assertThat(caches()).isEmpty();
  }

  @Test
  @DisplayName("given an unusable cache, then a command starts without a warning")
  void startsWithoutAUsableCache() throws IOException {
    var java = System.getProperty("java.home");
    assertThat(version(Map.of("JAVA_HOME", java))).isZero();
    assertThat(version(Map.of("JAVA_HOME", java, "HAPAX_JAVA_OPTS", "-XX:+UseZGC"))).isZero();

    Files.writeString(caches().getFirst(), "half a file");
    assertThat(version(Map.of("JAVA_HOME", java))).isZero();
    Files.writeString(caches().getFirst(), "");
    assertThat(version(Map.of("JAVA_HOME", java))).isZero();
    assertThat(Files.size(caches().getFirst())).isZero();
  }
}
