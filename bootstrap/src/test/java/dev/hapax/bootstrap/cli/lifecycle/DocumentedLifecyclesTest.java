package dev.hapax.bootstrap.cli.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.architecture.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the page of lifecycles shows is what the command says. */
class DocumentedLifecyclesTest {
  private static final String PAGE = Repository.text(Path.of("docs/lifecycles.md"));

  @TempDir private Path folder = Path.of("");

  private static Stream<MatchResult> found(String pattern) {
    return Pattern.compile(pattern, Pattern.DOTALL).matcher(PAGE).results();
  }

  /** Files are named before they are shown, by a link or in the text. */
  private void writeFiles() throws IOException {
    for (var file :
        found("`?\\[?([^`\\[/ ]*/)*([\\w-]+\\.json)[^\\n]*:\\n\\n```json\\n(.*?)```").toList()) {
      Files.writeString(folder.resolve(file.group(2)), file.group(3));
    }
  }

  @Test
  @DisplayName("commands print what the page shows, line by line")
  void commands() throws Exception {
    writeFiles();
    var shown = new ArrayList<String>();
    for (var command : found("```text\\n\\$ \\./hapax ([^\\n]*)\\n(.*?)```").toList()) {
      shown.add(command.group(1));
      var arguments =
          Stream.of(command.group(1).split(" "))
              .map(word -> word.endsWith(".json") ? folder.resolve(word).toString() : word)
              .toArray(String[]::new);
      assertThat(Typed.hapax(arguments).out().replace(folder + "/", ""))
          .as(command.group(1))
          .isEqualTo(command.group(2));
    }
    assertThat(shown)
        .containsExactly("lifecycle validate broken.json", "lifecycle graph billing.json");
  }

  @Test
  @DisplayName("the files of the examples are those of the page, and valid together")
  void examples() throws Exception {
    writeFiles();
    var examples = Repository.root().resolve("examples/lifecycles");
    for (var name : List.of("billing.json", "billing-janitor.json")) {
      assertThat(examples.resolve(name)).hasSameTextualContentAs(folder.resolve(name));
    }
    assertThat(
            Typed.hapax(
                    "lifecycle",
                    "validate",
                    examples.resolve("billing.json").toString(),
                    examples.resolve("billing-janitor.json").toString())
                .lines()
                .getLast())
        .isEqualTo("2 files: 0 violations, 1 warning, 0 notes");
  }
}
