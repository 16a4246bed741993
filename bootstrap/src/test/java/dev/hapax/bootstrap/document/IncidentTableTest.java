package dev.hapax.bootstrap.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.architecture.Repository;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The table of incidents names alerts, runbooks and tests that exist. */
class IncidentTableTest {
  private static final Pattern ROW =
      Pattern.compile(
          "(?m)^\\| ([^|]+) \\| `(Hapax\\w+)` \\| \\[([a-z-]+)]\\(runbooks/\\3\\.md\\) \\| ([^|]+) \\|"
              + " (\\d):(\\d\\d) \\| `(\\w+IT)` \\|$");
  private static final Duration SOON = Duration.ofMinutes(2);

  private static String section() {
    var page = Repository.text(Path.of("docs/production.md"));
    return page.substring(page.indexOf("\n## Incidents"), page.indexOf("\n## Before each upgrade"));
  }

  private static List<MatchResult> rows() {
    return ROW.matcher(section()).results().toList();
  }

  @Test
  @DisplayName(
      "given the incidents, then none has an empty cell, nor a cause found late [operators-S6]")
  void complete() {
    assertThat(rows())
        .hasSize((int) section().lines().filter(line -> line.startsWith("| ")).count() - 1)
        .hasSizeGreaterThan(10)
        .allSatisfy(
            row ->
                assertThat(
                        Duration.ofMinutes(Long.parseLong(row.group(5)))
                            .plusSeconds(Long.parseLong(row.group(6))))
                    .isPositive()
                    .isLessThanOrEqualTo(SOON));
  }

  @Test
  @DisplayName("given the incidents, then each alert leads to the page, and each test exists")
  void exist() {
    var rules = Repository.text(Path.of("deploy/prometheus/rules.yml"));
    assertThat(rows())
        .allSatisfy(
            row -> {
              assertThat(rules)
                  .containsPattern(
                      "(?s)- alert: %s\\n(?:(?!- alert).)*runbook_url: \\S+/%s\\.md\\n"
                          .formatted(row.group(2), row.group(3)));
              assertThat(Repository.files(".*/" + row.group(7) + "\\.java")).hasSize(1);
            });
  }
}
