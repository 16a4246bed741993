package dev.hapax.bootstrap.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The code of the tutorial is a part of the programs that {@code TutorialIT} executes. */
class TutorialTest {
  static final Path PAGE = Path.of("docs", "tutorial.md");

  private static final Path PROGRAMS = CodeBlock.root().resolve("examples").resolve("tutorial");
  private static final Map<String, String> FILES =
      Map.of(
          "js", "node/shop.js",
          "python", "python/shop.py",
          "java", "java/dev/hapax/examples/tutorial/Shop.java",
          "json", "definitions/shop-order.json");

  private static final Path LIFECYCLE = PROGRAMS.resolve("lifecycles/shop-invoice.json");

  static Stream<String> languages() {
    return Stream.of("js", "python", "java");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("languages")
  @DisplayName("given the page, when a program is compared, then each block is a part of it")
  void blocks(String language) throws IOException {
    var program = lines(PROGRAMS.resolve(FILES.getOrDefault(language, "")));
    assertThat(CodeBlock.in(PAGE))
        .filteredOn(block -> block.language().equals(language))
        .hasSizeGreaterThanOrEqualTo(4)
        .allSatisfy(block -> assertPart(program, block));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("configuration")
  @DisplayName("given the page, when its JSON is compared, then it is the file")
  void json(Path file) throws IOException {
    var lines = lines(file);
    assertThat(CodeBlock.in(PAGE))
        .filteredOn(block -> block.language().equals("json"))
        .anySatisfy(block -> assertThat(stripped(block.lines())).isEqualTo(lines));
  }

  static Stream<Path> configuration() {
    return Stream.of(PROGRAMS.resolve(FILES.getOrDefault("json", "")), LIFECYCLE);
  }

  private static void assertPart(List<String> program, CodeBlock block) {
    assertThat(Collections.indexOfSubList(program, stripped(block.lines())))
        .as("%s is not in the program, line by line", block.place())
        .isNotNegative();
  }

  private static List<String> lines(Path file) throws IOException {
    return stripped(Files.readAllLines(file));
  }

  private static List<String> stripped(List<String> lines) {
    return lines.stream().map(String::strip).toList();
  }
}
