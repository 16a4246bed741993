package dev.hapax.bootstrap.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import dev.hapax.bootstrap.architecture.Repository;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The alerts and the dashboard name what exists; {@code .ci/alerts} evaluates the alerts. */
class MonitoringFilesTest {
  private static final Path RULES = Path.of("deploy/prometheus/rules.yml");
  private static final Path RULE_TESTS = Path.of("deploy/prometheus/rules_test.yml");
  private static final Path DASHBOARD = Path.of("deploy/grafana/hapax.json");
  private static final Pattern METRIC = Pattern.compile("\\b(?:hapax|jvm|process)_[a-z0-9_]+\\b");
  private static final Pattern LISTED =
      Pattern.compile("(?m)^\\| `([a-z0-9_]+)` \\| (?:gauge|counter|histogram)");

  /** It drops every label that is not named, such as the one that separates two installations. */
  private static final Pattern AGGREGATED_BY =
      Pattern.compile("\\b(?:sum|min|max|avg|count)(?: by)? ?\\(");

  private static Set<String> metrics() {
    return found(LISTED, Repository.text(Path.of("docs/metrics.md")), 1).stream()
        .flatMap(name -> Stream.of(name, name + "_bucket"))
        .collect(Collectors.toSet());
  }

  private static List<String> found(Pattern pattern, String text, int group) {
    return pattern.matcher(text).results().map(match -> match.group(group)).distinct().toList();
  }

  @Test
  @DisplayName("every metric of the alerts is one that the server has")
  void alerts() {
    var used = found(METRIC, Repository.text(RULES), 0);
    assertThat(used).isNotEmpty().allMatch(metrics()::contains);
  }

  @Test
  @DisplayName(
      "given two installations in one Prometheus, when alerts and panels aggregate, then the labels"
          + " of an installation stay [operators-M2]")
  void installations() {
    assertThat(Stream.of(RULES, DASHBOARD).map(Repository::text))
        .noneMatch(text -> AGGREGATED_BY.matcher(text).find());
  }

  @Test
  @DisplayName(
      "given the panel of runs, when its expression is evaluated, then it is the tested one"
          + " [operators-M2]")
  void runsByStatus() {
    var tested =
        found(Pattern.compile("(?m)^ +- expr: '(.*)'$"), Repository.text(RULE_TESTS), 1).stream()
            .map(expression -> expression.replace("\"", "\\\""))
            .toList();
    assertThat(tested).isNotEmpty();
    assertThat(Repository.text(DASHBOARD).replaceAll("\\$(job|namespace|workspace)\\b", ".*"))
        .contains(tested);
  }

  @Test
  @DisplayName(
      "every alert has a runbook, and a test in which it fires and one in which it does not")
  void runbooks() {
    var rules = Repository.text(RULES);
    var alerts = found(Pattern.compile("- alert: (\\w+)"), rules, 1);
    var runbooks =
        Pattern.compile("runbook_url: https://hapax.dev/(docs/runbooks/[a-z-]+\\.md)")
            .matcher(rules)
            .results()
            .map(match -> match.group(1))
            .toList();
    assertThat(runbooks).hasSameSizeAs(alerts);
    assertThat(runbooks)
        .allSatisfy(page -> assertThat(Repository.text(Path.of(page))).startsWith("# "));
    var tests =
        Pattern.compile("alertname: (\\w+)\\n +exp_alerts:(.*)")
            .matcher(Repository.text(RULE_TESTS))
            .results()
            .map(match -> match.group(1) + (match.group(2).isBlank() ? " fires" : " does not"))
            .distinct()
            .toList();
    assertThat(tests)
        .containsExactlyInAnyOrderElementsOf(
            alerts.stream()
                .flatMap(alert -> Stream.of(alert + " fires", alert + " does not"))
                .toList());
  }

  @Test
  @DisplayName("every runbook is in the list of runbooks")
  void list() {
    var list = Repository.text(Path.of("docs/runbooks/README.md"));
    assertThat(Repository.files("docs/runbooks/[a-z-]+\\.md"))
        .isNotEmpty()
        .allSatisfy(page -> assertThat(list).contains("(" + page.getFileName() + ")"));
  }

  @Test
  @DisplayName("every metric of the dashboard is one that the server has, and few are not shown")
  void dashboard() throws Exception {
    var dashboard = Struct.newBuilder();
    JsonFormat.parser().merge(Repository.text(DASHBOARD), dashboard);
    var used =
        dashboard.getFieldsOrThrow("panels").getListValue().getValuesList().stream()
            .flatMap(panel -> values(panel, "targets"))
            .map(target -> target.getStructValue().getFieldsOrThrow("expr").getStringValue())
            .flatMap(expression -> found(METRIC, expression, 0).stream())
            .collect(Collectors.toSet());
    assertThat(used).isNotEmpty().allMatch(metrics()::contains);
    var hidden =
        metrics().stream()
            .filter(name -> name.startsWith("hapax_") && !name.endsWith("_bucket"))
            .filter(name -> !used.contains(name) && !used.contains(name + "_bucket"))
            .toList();
    assertThat(hidden)
        .containsExactlyInAnyOrder(
            // times of the server's own background work, and what an alert says
            "hapax_api_keys_read_timestamp_seconds",
            "hapax_backlog_age_seconds",
            "hapax_build_info",
            "hapax_cell_moves",
            "hapax_cell_usable",
            "hapax_certificate_reloads_total",
            "hapax_database_clock_jumps_total",
            "hapax_database_clock_offset_seconds",
            "hapax_database_timeline",
            "hapax_effects_dead_lettered_total",
            "hapax_intents_posted",
            "hapax_janitor_last_freed",
            "hapax_loop_success_age_seconds",
            "hapax_operations_turned_indeterminate_total",
            "hapax_registration_age_seconds",
            "hapax_serving",
            "hapax_timers_late",
            "hapax_token_keys_read_timestamp_seconds");
  }

  private static Stream<Value> values(Value panel, String name) {
    var fields = panel.getStructValue();
    return fields.containsFields(name)
        ? fields.getFieldsOrThrow(name).getListValue().getValuesList().stream()
        : Stream.empty();
  }
}
