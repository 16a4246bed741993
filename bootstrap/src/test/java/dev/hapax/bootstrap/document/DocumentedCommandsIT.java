package dev.hapax.bootstrap.document;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.hapax.bootstrap.kit.PythonKit;
import dev.hapax.bootstrap.process.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Executes the commands of the README and of each page in their order. {@code sh} blocks must
 * succeed, {@code console} blocks must print what they show; {@code not-run} names the reason why a
 * block is not executed.
 */
@Tag("nightly") // a process for each command takes minutes
class DocumentedCommandsIT {
  /** What has to be there before the commands of a page, such as the case of a runbook. */
  private static final Path PREPARATIONS = Path.of("src", "test", "docs");

  @TempDir private Path folder = Path.of("");

  static Stream<Path> pages() {
    return CodeBlock.pages().stream().filter(page -> !commands(page).isEmpty());
  }

  private static List<CodeBlock> commands(Path page) {
    return CodeBlock.in(page).stream().filter(DocumentedCommandsIT::isExecuted).toList();
  }

  private static boolean isExecuted(CodeBlock block) {
    return switch (block.language()) {
      case "sh" -> !block.note().startsWith("not-run: ");
      case "console" -> true;
      default -> block.isFile();
    };
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pages")
  @DisplayName("the commands of each page work, one after the other, and print what it shows")
  void works(Path page) throws IOException {
    var blocks = commands(page);
    if (blocks.stream().anyMatch(block -> block.text().contains("python3 "))) {
      PythonKit.install();
    }
    for (var program : List.of("npm", "curl", "psql")) {
      if (blocks.stream().anyMatch(block -> block.text().contains(program + " "))) {
        assumeTrue(
            Programs.find(program).isPresent(),
            "skipped: %s is not on the PATH, and the page needs it".formatted(program));
      }
    }
    try (var terminal = new Terminal(folder)) {
      var prepared = PREPARATIONS.resolve(page.getFileName());
      if (Files.exists(prepared)) {
        CodeBlock.in(CodeBlock.root().relativize(prepared.toAbsolutePath()))
            .forEach(terminal::execute);
      }
      blocks.forEach(terminal::execute);
    }
  }
}
