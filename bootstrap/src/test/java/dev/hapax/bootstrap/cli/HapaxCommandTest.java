package dev.hapax.bootstrap.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.hapax.bootstrap.config.Settings;
import dev.hapax.bootstrap.process.Programs;
import dev.hapax.outbox.OutboxRelay;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class HapaxCommandTest {
  @TempDir private Path folder = Path.of("");
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
    assertThat(out.toString())
        .containsPattern("^hapax \\S+, commit ([0-9a-f]{12,}|unknown)\n")
        .contains("Java 25");
  }

  @Test
  void printsACompletionScript() {
    assertThat(run("completion")).isZero();
    assertThat(out.toString()).contains("complete -F", "--data-dir");
  }

  @ParameterizedTest
  @CsvSource({
    "bash, bash -n, complete -F",
    "zsh, zsh -n, #compdef hapax",
    "fish, fish --no-execute, complete -c hapax -n '__fish_seen_subcommand_from run"
  })
  @DisplayName("given a shell, then its script has each command and option, and the shell reads it")
  void completes(String shell, String check, String mark) throws Exception {
    assertThat(run("completion", shell)).isZero();
    assertThat(out.toString()).contains(mark);
    commands()
        .forEach(
            command -> {
              assertThat(out.toString()).contains(command.getCommandName());
              assertThat(command.getCommandSpec().options())
                  .filteredOn(option -> !option.hidden())
                  .allSatisfy(
                      option ->
                          assertThat(out.toString())
                              .contains(option.longestName().replaceFirst("^-+", "")));
            });
    assumeThat(Programs.find(shell)).isPresent();
    var script = Files.writeString(folder.resolve("script"), out.toString());
    var words = new ArrayList<>(List.of(check.split(" ")));
    words.add(script.toString());
    assertThat(new ProcessBuilder(words).inheritIO().start().waitFor()).isZero();
  }

  private static Stream<CommandLine> commands() {
    return HapaxCommand.commandLine(Map.of()).getSubcommands().values().stream()
        .flatMap(
            command ->
                Stream.concat(Stream.of(command), command.getSubcommands().values().stream()))
        .filter(command -> !command.getCommandSpec().usageMessage().hidden());
  }

  @Test
  @DisplayName("the man page of a release has each command with its options, and man reads it")
  void writesTheManPage() throws Exception {
    assertThat(run("documents", folder.toString())).isZero();
    var page = folder.resolve("man/man1/hapax.1");
    var text = Files.readString(page);
    assertThat(text).contains(".SH EXIT STATUS", ".TP\n\\fB9\\fR\n");
    assertThat(commands().filter(command -> command.getSubcommands().isEmpty()))
        .hasSizeGreaterThan(50)
        .allSatisfy(
            command ->
                assertThat(text)
                    .contains(
                        ".SS " + command.getCommandSpec().qualifiedName().replace("-", "\\-")));
    Settings.ALL.forEach(setting -> assertThat(text).contains(setting.flag().replace("-", "\\-")));
    assertThat(text).doesNotContain("${");
    assumeThat(Programs.find("man")).isPresent();
    var man =
        new ProcessBuilder("man", "--warnings", "-l", page.toString()).redirectErrorStream(true);
    man.environment().put("MANPAGER", "cat");
    man.environment().put("LC_ALL", "C.UTF-8");
    var shown = man.start();
    assertThat(new String(shown.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .contains("hapax run start")
        .doesNotContain("warning:");
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
