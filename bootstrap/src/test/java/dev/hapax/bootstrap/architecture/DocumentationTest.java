package dev.hapax.bootstrap.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.config.Setting;
import dev.hapax.bootstrap.config.Settings;
import dev.hapax.domain.janitor.StuckKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the documents say is there. */
final class DocumentationTest {
  private static final Path GUARANTEES = Path.of("docs/guarantees.md");
  private static final Path CONFIGURATION = Path.of("docs/configuration.md");
  private static final Path CLIENTS = Path.of("docs/clients.md");
  private static final Path CLAIMS = Path.of("docs/claims.md");
  private static final Path DECISIONS = Path.of("docs/adr/README.md");
  private static final Path TESTED_WORKFLOW =
      Path.of("client/src/test/java/dev/hapax/client/example/OrderWorkflowTest.java");
  private static final Pattern LINK = Pattern.compile("\\[([^\\]]*)]\\(([^)\\s]+)\\)");

  @Test
  @DisplayName("links lead to files and headings that are there")
  void links() {
    var dead = new ArrayList<String>();
    for (var page : pages()) {
      var matcher = LINK.matcher(Repository.text(page));
      while (matcher.find()) {
        var target = matcher.group(2);
        if (!target.matches("https?://.*") && !leadsSomewhere(page, target)) {
          dead.add(page + ": " + target);
        }
      }
    }
    assertThat(dead).isEmpty();
  }

  private static boolean leadsSomewhere(Path page, String target) {
    var parts = target.split("#", 2);
    var file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
    if (!Files.exists(Repository.root().resolve(file))) {
      return false;
    }
    return parts.length == 1 || anchors(file).contains(parts[1]);
  }

  private static List<String> anchors(Path page) {
    return Repository.text(page)
        .lines()
        .filter(line -> line.matches("#+ .*"))
        .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .toList();
  }

  @Test
  @DisplayName("every page can be reached from the README")
  void reachable() {
    var reached = new ArrayList<>(List.of(Path.of("README.md")));
    for (var i = 0; i < reached.size(); i++) {
      var page = reached.get(i);
      LINK.matcher(Repository.text(page))
          .results()
          .map(match -> match.group(2).replaceFirst("#.*", ""))
          .filter(target -> target.endsWith(".md") && !target.contains("://"))
          .map(target -> page.resolveSibling(target).normalize())
          .filter(target -> !reached.contains(target))
          .forEach(reached::add);
    }
    assertThat(reached).containsAll(pages());
  }

  @Test
  @DisplayName("the example of a tested workflow is in its test, line by line")
  void testedWorkflow() {
    var section =
        Repository.text(Path.of("docs/testing.md"))
            .replaceFirst("(?s).*\\n### In the JVM of the test\\n", "")
            .replaceFirst("(?s)\\n## .*", "");
    var example = section.replaceFirst("(?s).*```java\\n", "").replaceFirst("(?s)```.*", "");
    assertThat(Repository.text(TESTED_WORKFLOW).lines().toList())
        .containsSubsequence(example.lines().filter(line -> !line.isBlank()).toList());
  }

  @Test
  @DisplayName("the listener with the servlet filter is compiled, line by line")
  void servletListener() {
    var example =
        Repository.text(Path.of("client/README.md"))
            .replaceFirst("(?s).*\\n## Servlets\\n", "")
            .replaceFirst("(?s)\\n## .*", "")
            .replaceFirst("(?s).*```java\\n", "")
            .replaceFirst("(?s)```.*", "");
    assertThat(
            Repository.text(
                Path.of("servlet/src/test/java/dev/hapax/servlet/example/Payments.java")))
        .isEqualTo("package dev.hapax.servlet.example;\n\n" + example);
  }

  @Test
  @DisplayName("what shows a guarantee is a test of that name")
  void shown() {
    var wrong = new ArrayList<String>();
    var matcher = LINK.matcher(Repository.text(GUARANTEES));
    while (matcher.find()) {
      var text = matcher.group(1);
      var file = GUARANTEES.resolveSibling(matcher.group(2)).normalize();
      if (file.toString().endsWith(".java")) {
        var type = file.getFileName().toString().replace(".java", "");
        if (!text.replace("`", "").equals(type)) {
          wrong.add("the link to " + file + " says " + text);
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  @DisplayName("the index of decisions lists each one with its title")
  void decisions() {
    var index = Repository.text(DECISIONS);
    var number = 0;
    for (var file : Repository.files("docs/adr/\\d.*").stream().sorted().toList()) {
      number++;
      var name = file.getFileName().toString();
      assertThat(name).matches(String.format(Locale.ROOT, "%04d-[a-z0-9-]+\\.md", number));
      var text = Repository.text(file);
      var title =
          text.lines()
              .findFirst()
              .orElse("")
              .replaceFirst(String.format(Locale.ROOT, "# %d\\. ", number), "");
      assertThat(index)
          .contains(String.format(Locale.ROOT, "[%04d](%s) | %s |", number, name, title));
      assertThat(text)
          .as(name)
          .contains("\n## Context\n")
          .contains("\n## Decision\n")
          .contains("\n## Alternatives\n")
          .contains("\n## Consequences\n");
    }
    assertThat(number).isPositive();
  }

  @Test
  @DisplayName("the policy of versions answers each question by one sentence [operators-S10]")
  void versions() {
    var answers =
        Pattern.compile("(?m)^\\| [^|]+\\? \\| ([^|]+\\.) \\|$")
            .matcher(Repository.text(Path.of("docs/versions.md")))
            .results()
            .map(match -> match.group(1))
            .toList();
    assertThat(answers)
        .hasSize(5)
        .allSatisfy(answer -> assertThat(answer.replaceFirst("\\.$", "")).doesNotContain(". "));
  }

  @Test
  @DisplayName(
      "each version of the changelog begins with what to do before an upgrade, and lists changes once"
          + " [operators-S10]")
  void changelog() {
    var versions = Repository.text(Path.of("CHANGELOG.md")).split("\n## ");
    assertThat(List.of(versions).subList(1, versions.length))
        .isNotEmpty()
        .allSatisfy(
            version -> {
              assertThat(version.split("\n\n", 3)[1]).startsWith("**Before you upgrade**");
              assertThat(version)
                  .contains("| settings |", "| metrics |", "| alerts |", "| migrations |");
              assertThat(version.split("Changed", -1)).hasSizeLessThanOrEqualTo(2);
            });
  }

  @Test
  @DisplayName("docs/configuration.md has the descriptions of all settings")
  void settings() {
    var table =
        Settings.ALL.stream().map(DocumentationTest::line).collect(Collectors.joining("\n"));
    assertThat(Repository.text(CONFIGURATION))
        .as("docs/configuration.md must have these lines:\n%s", table)
        .contains("\n|---|---|---|---|\n" + table + "\n\n");
  }

  private static String line(Setting<?> setting) {
    var fallback = setting.fallback().isEmpty() ? "" : "`" + setting.fallback() + "`";
    return "| `%s %s` | `%s` | %s | %s |"
        .formatted(
            setting.flag(),
            setting.label().replace("|", "\\|"),
            setting.variable(),
            fallback,
            setting.doc())
        .replace("  ", " ");
  }

  @Test
  @DisplayName("the page of claims lists everything that can get stuck")
  void stuck() {
    var table =
        Arrays.stream(StuckKind.values())
            .map(
                each -> "| %s | %s | %s |".formatted(each.what(), each.how(), byWhom(each.freed())))
            .collect(Collectors.joining("\n"));
    assertThat(Repository.text(CLAIMS))
        .as("docs/claims.md must have these lines:\n%s", table)
        .contains("\n|---|---|---|\n" + table + "\n\n");
  }

  private static String byWhom(StuckKind.Freed freed) {
    return switch (freed) {
      case BY_NEXT_CALLER -> "the next caller";
      case BY_THE_SERVER -> "the server";
      case BY_ITS_JANITOR -> "its janitor";
      case BY_HAND -> "a person";
    };
  }

  @Test
  @DisplayName("the page of clients lists each platform in consumers/, and when it is checked")
  void platforms() {
    var eachChange =
        List.of(
            Repository.text(Path.of(".ci/consumers-java"))
                .replaceFirst("(?s).*\nnames=\\(([^)]*)\\)\n.*", "$1")
                .split(" "));
    var table =
        Repository.files("consumers/.*/pom\\.xml").stream()
            .sorted()
            .map(pom -> platform(pom, eachChange))
            .collect(Collectors.joining("\n"));
    assertThat(table.lines()).hasSizeGreaterThan(eachChange.size());
    assertThat(Repository.text(CLIENTS))
        .as("docs/clients.md must have these lines:\n%s", table)
        .contains("\n|---|---|---|\n" + table + "\n\n");
  }

  private static String platform(Path pom, List<String> eachChange) {
    var folder = pom.getName(1).toString();
    var title =
        switch (folder.replaceFirst("-.*", "")) {
          case "boot" -> "Spring Boot";
          case "quarkus" -> "Quarkus";
          case "micronaut" -> "Micronaut";
          case "plain" -> "none";
          default -> throw new AssertionError("no title for " + folder);
        };
    var version =
        Pattern.compile("<version>([^<$]*)</version>\\s*<type>pom").matcher(Repository.text(pom));
    return "| %s | %s | %s |"
        .formatted(
            title,
            version.find() ? version.group(1) : "the libraries of the client",
            eachChange.contains(folder) ? "each change" : "each night");
  }

  private static List<Path> pages() {
    return Repository.files("[^/]+\\.md|(docs|kits|client)/.*\\.md");
  }
}
