package dev.hapax.bootstrap.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.architecture.Repository;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunbookCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return HapaxCommand.commandLine(Map.of(), arguments)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  @Test
  @DisplayName("given no name, then each page has a line with its symptom")
  void lists() {
    assertThat(run("runbook")).isZero();
    var pages = Repository.files("docs/runbooks/[a-z-]+\\.md");
    assertThat(out.toString().lines()).hasSize(pages.size() + 1);
    assertThat(pages)
        .allSatisfy(
            page -> {
              var name = page.getFileName().toString().replace(".md", "");
              assertThat(out.toString()).containsPattern("\n" + name + " +[A-Za-z]");
            });
  }

  @Test
  @DisplayName("given the runbook_url of any alert, then its page opens offline [operators-S3]")
  void opensThePageOfEachAlert() {
    var urls =
        Pattern.compile("runbook_url: (\\S+)")
            .matcher(Repository.text(Path.of("deploy/prometheus/rules.yml")))
            .results()
            .map((MatchResult match) -> match.group(1))
            .toList();
    assertThat(urls)
        .isNotEmpty()
        .allSatisfy(
            url -> {
              out.getBuffer().setLength(0);
              assertThat(run("runbook", url)).isZero();
              assertThat(out.toString())
                  .isEqualTo(Repository.text(Path.of(url.replace("https://hapax.dev/", ""))));
            });
  }

  @ParameterizedTest
  @CsvSource({
    "run-stuk, did you mean run-stuck?",
    "stuck, 'did you mean operation-stuck, run-stuck, claim-stuck?'",
    "README, `hapax runbook` lists all",
    "no such page, `hapax runbook` lists all"
  })
  @DisplayName("given an unknown name, then the error has the nearest names")
  void suggests(String name, String suggestion) {
    assertThat(run("runbook", name)).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("hapax: there is no runbook '" + name + "'; " + suggestion);
    assertThat(out.toString()).isEmpty();
  }
}
