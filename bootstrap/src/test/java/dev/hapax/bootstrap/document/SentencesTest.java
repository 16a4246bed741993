package dev.hapax.bootstrap.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.architecture.Repository;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The sentences of the documents are short. */
class SentencesTest {
  private static final int MOST_WORDS = 30;

  /** Their tables are generated from comments and settings. */
  private static final Set<String> GENERATED =
      Set.of("configuration.md", "errors.md", "limits.md", "metrics.md");

  private static final Pattern CODE = Pattern.compile("(?s) *```.*?\n *```");
  private static final Pattern TARGET = Pattern.compile("]\\([^)]*\\)");
  private static final Pattern INLINE = Pattern.compile("`[^`]*`");
  private static final Pattern ITEM = Pattern.compile("\\s*([-*]|\\d+\\.) .*|#.*");
  private static final Pattern CELL = Pattern.compile("(?<!\\\\)\\|");
  private static final Pattern END =
      Pattern.compile("(?<=[.!?:])(\\*\\*|\")?\\s+(?=[A-Z0-9\\[*\"(])|(?<=:)\\s");

  static Stream<Path> pages() {
    return CodeBlock.pages().stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pages")
  @DisplayName("given a page, when its sentences are counted, then none has over 30 words")
  void sentences(Path page) {
    assertThat(units(page).stream().flatMap(unit -> END.splitAsStream(unit)))
        .isNotEmpty()
        .allSatisfy(
            sentence -> assertThat(words(sentence)).as(sentence).isLessThanOrEqualTo(MOST_WORDS));
  }

  private static long words(String sentence) {
    return Stream.of(sentence.split("\\s+")).filter(word -> word.matches(".*\\w.*")).count();
  }

  /** Paragraphs, items of lists, headings, and cells of tables. */
  private static List<String> units(Path page) {
    var text = TARGET.matcher(CODE.matcher(Repository.text(page)).replaceAll("\n")).replaceAll("]");
    var units = new ArrayList<String>();
    var unit = new StringBuilder();
    for (var line : INLINE.matcher(text).replaceAll("X").lines().toList()) {
      var isRow = line.startsWith("|");
      if (isRow || line.isBlank() || ITEM.matcher(line).matches()) {
        units.add(unit.toString());
        unit.setLength(0);
      }
      if (!isRow) {
        unit.append(line.strip()).append(' ');
      } else if (!GENERATED.contains(page.getFileName().toString())) {
        CELL.splitAsStream(line).map(String::strip).forEach(units::add);
      }
    }
    units.add(unit.toString());
    return units.stream().filter(each -> !each.isBlank()).toList();
  }
}
