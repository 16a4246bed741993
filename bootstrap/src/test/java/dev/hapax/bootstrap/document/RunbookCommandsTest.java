package dev.hapax.bootstrap.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.hapax.bootstrap.architecture.Repository;
import dev.hapax.bootstrap.cli.HapaxCommand;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each runbook begins with a command that takes the labels of the alert, and has real commands. */
class RunbookCommandsTest {
  private static final Pattern ALERT =
      Pattern.compile("(?s)- alert: (\\w+)\\n.*?runbook_url: https://hapax.dev/(\\S+)");
  private static final Pattern LABELS =
      Pattern.compile("alertname: (\\w+)\\n +exp_alerts:\\n +- exp_labels: \\{(.*)}");
  private static final Pattern FIRST =
      Pattern.compile("(?m)^\\| `(Hapax\\w+)` \\| `([^`]+)` \\| \\S.*\\|$");

  /** A word of a command that stands for a label. */
  private static final Pattern PLACEHOLDER = Pattern.compile("\\b[A-Z]{2,}\\b");

  private static final Pattern WORD = Pattern.compile("'[^']*'|\"[^\"]*\"|(?:[^\\s'\"]|'[^']*')+");

  record Alert(String name, Path runbook) {}

  static Stream<Alert> alerts() {
    return matches(ALERT, Path.of("deploy/prometheus/rules.yml"))
        .map(match -> new Alert(match.group(1), Path.of(match.group(2))));
  }

  static List<Path> runbooks() {
    return Repository.files("docs/runbooks/[a-z-]+\\.md");
  }

  private static Stream<MatchResult> matches(Pattern pattern, Path file) {
    return pattern.matcher(Repository.text(file)).results();
  }

  /** The labels that the alert has in each test in which it fires. */
  private static Set<String> labels(Alert alert) {
    return matches(LABELS, Path.of("deploy/prometheus/rules_test.yml"))
        .filter(match -> match.group(1).equals(alert.name()))
        .map(
            match ->
                Arrays.stream(match.group(2).split(", "))
                    .map(label -> label.replaceAll(":.*", ""))
                    .collect(Collectors.toSet()))
        .reduce(
            (one, other) -> {
              one.retainAll(other);
              return one;
            })
        .orElseThrow(() -> new AssertionError("no test in which " + alert + " fires"));
  }

  @ParameterizedTest
  @MethodSource("alerts")
  @DisplayName(
      "given an alert, when its runbook is opened, then the first command takes no other values than"
          + " the labels of the alert [operators-S6]")
  void firstCommand(Alert alert) {
    var text = Repository.text(alert.runbook());
    assertThat(text.indexOf("\n## ")).isEqualTo(text.indexOf("\n## From the alert\n"));
    var commands =
        matches(FIRST, alert.runbook())
            .filter(match -> match.group(1).equals(alert.name()))
            .map(match -> match.group(2))
            .toList();
    assertThat(commands).hasSize(1);
    assertThat(PLACEHOLDER.matcher(commands.getFirst()).results().map(MatchResult::group))
        .allMatch(word -> labels(alert).contains(word.toLowerCase(Locale.ROOT)));
  }

  @ParameterizedTest
  @MethodSource("runbooks")
  @DisplayName("given a runbook, then each of its commands exists, with its options [operators-S6]")
  void commands(Path page) {
    var blocks =
        CodeBlock.in(page).stream()
            .filter(block -> block.language().equals("sh"))
            .flatMap(block -> commands(block.text().replace("\\\n", " "), "\\./hapax ([^|#\n]+)"));
    var inText =
        commands(Repository.text(page).replaceAll("(?s)```.*?```", ""), "`\\./hapax ([^`]+)`");
    assertThat(Stream.concat(blocks, inText))
        .allSatisfy(
            command -> assertThatCode(() -> parse(command)).as(command).doesNotThrowAnyException());
  }

  private static Stream<String> commands(String text, String pattern) {
    return Pattern.compile(pattern).matcher(text).results().map(match -> match.group(1).strip());
  }

  private static void parse(String command) {
    var words =
        WORD.matcher(command)
            .results()
            .map(match -> match.group().replaceAll("^(['\"])(.*)\\1$", "$2"))
            .toArray(String[]::new);
    var _ = HapaxCommand.commandLine(Map.of(), words).parseArgs(words);
  }
}
