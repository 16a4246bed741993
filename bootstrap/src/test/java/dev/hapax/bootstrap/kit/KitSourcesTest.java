package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The files of the kits, without the tools of their languages. */
class KitSourcesTest {
  private static final boolean WRITE = System.getProperty("kits", "").equals("write");

  /** The sources of each kit that are not generated. */
  private static final Map<String, String> SOURCES =
      Map.of(
          "python", "hapax/[a-z_]+\\.py",
          "typescript", "src/[a-z]+\\.ts",
          "go", "hapax/[a-z]+\\.go");

  private static final Map<String, Integer> MOST_LINES =
      Map.of("python", 1_350, "typescript", 1_520, "go", 2_110);
  private static final int MOST_LINES_OF_AN_EXAMPLE = 150;

  @Test
  @DisplayName("given the protos, then the descriptor set of the Python kit is that of this API")
  void descriptorSet() throws IOException {
    var file = PythonKit.SOURCES.resolve("hapax/hapax.binpb");
    var expected = DescriptorSet.ofApi();
    if (WRITE) {
      Files.write(file, expected.toByteArray());
    }
    assertThat(FileDescriptorSet.parseFrom(Files.readAllBytes(file)))
        .as("run this test with -Dkits=write")
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
    for (var kit : SOURCES.entrySet()) {
      var lines = 0;
      for (var file : files(Kit.FOLDER.resolve(kit.getKey()), kit.getValue())) {
        lines += code(Files.readString(file)).size();
      }
      assertThat(lines).as(kit.getKey()).isBetween(100, MOST_LINES.get(kit.getKey()));
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
  @DisplayName("given an example of a kit, then it is short")
  void examples() throws IOException {
    for (var example : files(Kit.FOLDER, "[a-z]+/examples/([a-z]+/)?[^/]+\\.[a-z]+")) {
      assertThat(Files.readAllLines(example))
          .as("%s", example)
          .hasSizeLessThanOrEqualTo(MOST_LINES_OF_AN_EXAMPLE);
    }
  }

  @Test
  @DisplayName("given the Go module, then it requires each module that the kit imports")
  void goModule() throws IOException {
    var folder = Kit.FOLDER.resolve("go");
    var required =
        Files.readAllLines(folder.resolve("go.mod")).stream()
            .map(String::strip)
            .filter(line -> line.matches("[a-z.]+/\\S+ v\\S+"))
            .map(line -> line.split(" ", 2)[0] + "/")
            .toList();
    var imports = Pattern.compile("\n\t(?:\\w+ )?\"((?!hapax.dev/go/)[a-z]+\\.[a-z.]+/[^\"]+)\"");
    for (var file : files(folder, "(hapax|contract|examples/[a-z]+)/[a-z]+\\.go")) {
      for (var found : imports.matcher(Files.readString(file)).results().toList()) {
        assertThat(required)
            .as("%s imports %s", file, found.group(1))
            .anyMatch((found.group(1) + "/")::startsWith);
      }
    }
  }

  private static List<Path> files(Path folder, String pattern) throws IOException {
    try (var all = Files.walk(folder)) {
      var found =
          all.filter(file -> folder.relativize(file).toString().matches(pattern)).sorted().toList();
      assertThat(found).isNotEmpty();
      return found;
    }
  }
}
