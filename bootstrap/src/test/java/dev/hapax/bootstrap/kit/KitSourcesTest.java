package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The files of the kits, without the tools of their languages. */
class KitSourcesTest {
  private static final boolean WRITE = System.getProperty("kits", "").equals("write");

  /** Sources of a kit that are not generated, and how many lines of code they may have. */
  private record Sources(String folder, String files, int mostLines) {}

  private static final List<Sources> SOURCES =
      List.of(
          new Sources("python", "hapax/(?!middleware/|testing/|aio|agents).+\\.py", 2_450),
          new Sources("python", "hapax/(aio|agents)\\.py", 505),
          new Sources("python", "hapax/testing/.+\\.py", 380),
          new Sources("python", "hapax/middleware/.+\\.py", 215),
          new Sources("typescript", "src/[a-z]+\\.ts", 3_120),
          new Sources("typescript", "src/testing/[a-z]+\\.ts", 390),
          new Sources("typescript", "src/middleware/.+\\.ts", 250),
          new Sources("go", "hapax/(?!http|interceptor|refusals)[a-z]+\\.go", 3_660),
          new Sources("go", "hapaxtest/(?!.*_test)[a-z]+\\.go", 525),
          new Sources("go", "hapax/(http|interceptor|refusals)\\.go", 325));

  private static final int MOST_LINES_OF_AN_EXAMPLE = 150;

  @Test
  @DisplayName("given the protos, then the descriptor set of the Python kit is that of this API")
  void descriptorSet() throws IOException {
    var file = PythonKit.SOURCES.resolve("hapax/hapax.binpb");
    var expected = DescriptorSet.ofApi();
    if (WRITE) {
      Files.write(file, expected.toByteArray());
    }
    assertThat(FileDescriptorSet.parseFrom(Files.readAllBytes(file), DescriptorSet.OPTIONS))
        .as("hapax.binpb is written by ./dev docs write")
        .isEqualTo(expected);
  }

  @Test
  @DisplayName("given a kit, then its version is that of the server")
  void versions() throws IOException {
    var server =
        first("<artifactId>hapax</artifactId>\\s*<version>([^<-]+)", Path.of("..", "pom.xml"));
    assertThat(first("\nversion = \"([^\"]+)\"", PythonKit.SOURCES.resolve("pyproject.toml")))
        .isEqualTo(server);
    assertThat(first("\"version\": \"([^\"]+)\"", TypeScriptKit.SOURCES.resolve("package.json")))
        .isEqualTo(server);
  }

  private static String first(String pattern, Path file) throws IOException {
    var found = Pattern.compile(pattern).matcher(Files.readString(file));
    assertThat(found.find()).as("%s", file).isTrue();
    return found.group(1);
  }

  @Test
  @DisplayName(
      "given a kit, then it is small: lines without blank ones, comments and documentation")
  void size() throws IOException {
    for (var sources : SOURCES) {
      var lines = 0;
      for (var file : files(Kit.FOLDER.resolve(sources.folder()), sources.files())) {
        lines += code(Files.readString(file)).size();
      }
      assertThat(lines).as("%s", sources).isBetween(100, sources.mostLines());
    }
  }

  /** Docstrings and comments of blocks are removed first. */
  private static List<String> code(String source) {
    return source
        .replaceAll("(?s)(?<=[\n:]) *\"\"\".*?\"\"\"\n", "\n")
        .replaceAll("(?s)/\\*.*?\\*/", "")
        .lines()
        .filter(line -> !line.isBlank() && !line.strip().matches("(#|//).*"))
        .toList();
  }

  @Test
  @DisplayName("given the package of Python, then its license is that of Hapax")
  void license() {
    assertThat(PythonKit.SOURCES.resolve("LICENSE"))
        .hasSameTextualContentAs(Path.of("..", "LICENSE"));
  }

  @Test
  @DisplayName("given an example of a kit, then it is short")
  void examples() throws IOException {
    for (var example : files(Kit.FOLDER, "[a-z]+/examples/([a-z]+/)?[^/]+\\.[a-z]+")) {
      assertThat(Files.readAllLines(example))
          .as("%s", example)
          .hasSizeLessThanOrEqualTo(MOST_LINES_OF_AN_EXAMPLE);
    }
  }

  /** The files of a folder whose path in it matches. */
  static List<Path> files(Path folder, String pattern) throws IOException {
    try (var all = Files.walk(folder)) {
      var found =
          all.filter(file -> folder.relativize(file).toString().matches(pattern)).sorted().toList();
      assertThat(found).isNotEmpty();
      return found;
    }
  }
}
