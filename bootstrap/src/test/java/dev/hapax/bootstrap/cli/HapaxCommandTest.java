package dev.hapax.bootstrap.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.config.Settings;
import dev.hapax.outbox.OutboxRelay;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class HapaxCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return HapaxCommand.commandLine(Map.of())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  @Test
  void helpsOnStandardOutput() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString())
        .containsSubsequence(
            "demo ",
            "serve ",
            "run ",
            "hook ",
            "definition ",
            "operation ",
            "entity ",
            "claim ",
            "lifecycle ",
            "janitor ",
            "doctor ",
            "migrate ",
            "completion ");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void helpsWithEverySetting() {
    assertThat(run("serve", "--help")).isZero();
    Settings.ALL.forEach(setting -> assertThat(out.toString()).contains(setting.flag()));
  }

  @Test
  void printsTheOutboxWithoutADatabase() {
    assertThat(run("sql", "outbox")).isZero();
    assertThat(out.toString()).isEqualTo(OutboxRelay.script()).contains("hapax_outbox.start_run(");
  }

  @Test
  void helpsWhereAVersionIsThatOfADefinition() {
    assertThat(run("run", "start", "--help")).isZero();
    assertThat(run("hook", "get", "--help")).isZero();
    assertThat(run("definition", "get", "--help")).isZero();
    assertThat(out.toString()).containsSubsequence("--await", "--help", "--version=VERSION");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  @DisplayName("given a nested command, when help is asked for, then it is the help of that one")
  void helpsWithNestedCommands() {
    assertThat(run("help", "run", "start")).isZero();
    assertThat(out.toString()).startsWith("Usage: hapax run start ").contains("--on-conflict");
    assertThat(err.toString()).isEmpty();

    assertThat(run("help")).isZero();
    assertThat(out.toString()).contains("Usage: hapax [");
    assertThat(run("help", "run", "stat")).isEqualTo(2);
    assertThat(err.toString()).startsWith("hapax: `hapax run` has no command 'stat' (available: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"run", "hook", "definition", "operation", "entity", "lifecycle"})
  @DisplayName("given what can be shown, then get and show are the same, and get is documented")
  void showIsGet(String command) {
    assertThat(run("help", command, "show")).isZero();
    var shown = out.toString();
    out.getBuffer().setLength(0);
    assertThat(run("help", command, "get")).isZero();

    assertThat(shown).startsWith("Usage: hapax " + command + " get ").isEqualTo(out.toString());
  }

  @Test
  @DisplayName("given a command, when only its part is built, then it is the same as in the whole")
  void buildsWhatIsNeeded() {
    var whole = HapaxCommand.commandLine(Map.of());
    for (var name : whole.getSubcommands().keySet()) {
      var part = HapaxCommand.commandLine(Map.of(), name, "--help");

      assertThat(usage(part, name)).isEqualTo(usage(whole, name));
    }
    assertThat(HapaxCommand.commandLine(Map.of(), "run", "get").getSubcommands()).hasSize(1);
    assertThat(HapaxCommand.commandLine(Map.of(), "serv").getSubcommands())
        .hasSameSizeAs(whole.getSubcommands());
    assertThat(HapaxCommand.commandLine(Map.of(), "help", "run").getSubcommands())
        .hasSameSizeAs(whole.getSubcommands());
  }

  private static String usage(CommandLine commandLine, String name) {
    var subcommand = commandLine.getSubcommands().get(name);
    return Objects.requireNonNull(subcommand, name).getUsageMessage();
  }

  @Test
  void wantsACommand() {
    assertThat(run()).isEqualTo(2);
    assertThat(err.toString()).startsWith("hapax: a command is missing").contains("--help");
  }

  @Test
  void wantsToKnowWhatToDo() {
    assertThat(run("run")).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("hapax: missing subcommand: start, get,")
        .contains("hapax run --help");
    for (var command : List.of("definition", "entity", "claim", "lifecycle", "janitor")) {
      assertThat(run(command)).isEqualTo(2);
    }
  }

  @Test
  void suggestsTheCommandThatWasMeant() {
    assertThat(run("serv")).isEqualTo(2);
    assertThat(err.toString()).contains("Did you mean: hapax serve");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void printsAVersion() {
    assertThat(run("--version")).isZero();
    assertThat(out.toString()).startsWith("hapax ").contains("Java 25");
  }

  @Test
  void printsACompletionScript() {
    assertThat(run("completion")).isZero();
    assertThat(out.toString()).contains("complete -F", "--data-dir");
  }

  @Test
  void refusesABrokenConfigurationWithoutAStackTrace() {
    assertThat(run("serve", "--drain=soon")).isEqualTo(2);
    assertThat(err.toString())
        .isEqualTo(
            "hapax: --drain=soon: must be a duration such as 250ms, 30s, 90m, 1h30m or 1d\n");
  }

  @Test
  void switchesNeedNoValue() {
    assertThat(run("doctor", "--insecure", "--reflection=perhaps", "--drain=soon")).isEqualTo(2);
    assertThat(err.toString())
        .contains("--reflection=perhaps: must be true or false")
        .doesNotContain("--insecure");
  }
}
