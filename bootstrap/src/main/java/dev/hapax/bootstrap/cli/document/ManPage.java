package dev.hapax.bootstrap.cli.document;

import dev.hapax.bootstrap.config.ProgramVersion;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The man page with every command and option, in the format of roff. */
final class ManPage {
  private static final Map<String, String> FILES =
      Map.of(
          "/etc/hapax/hapax.properties", "settings of the service hapax.service",
          "/etc/default/hapax", "variables of the service, such as HAPAX_JAVA_OPTS");

  private final StringBuilder page = new StringBuilder();
  private final DocumentedCommand root;

  private ManPage(DocumentedCommand root) {
    this.root = root;
  }

  static String of(CommandLine root) {
    return new ManPage(new DocumentedCommand(root.getCommandSpec())).text();
  }

  private String text() {
    page.append(".TH HAPAX 1 \"\" \"hapax ").append(ProgramVersion.text()).append("\"\n");
    section("NAME").append("hapax \\- ").append(escaped(root.description())).append('\n');
    section("SYNOPSIS").append("\\fBhapax\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n");
    section("OPTIONS OF EVERY COMMAND");
    root.optionsOfEveryCommand().forEach(this::option);
    section("COMMANDS");
    root.subcommands().forEach(each -> command("hapax", each));
    section("EXIT STATUS");
    exitCodes(root);
    section("FILES");
    FILES.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(file -> item("\\fI" + escaped(file.getKey()) + "\\fR", file.getValue()));
    return page.toString();
  }

  private StringBuilder section(String title) {
    return page.append(".SH ").append(title).append('\n');
  }

  private void command(String parent, DocumentedCommand command) {
    var name = parent + " " + command.name();
    var subcommands = command.subcommands();
    if (!subcommands.isEmpty()) {
      subcommands.forEach(each -> command(name, each));
      return;
    }
    var words =
        Stream.concat(
                Stream.of(name),
                command.spec().positionalParameters().stream().map(PositionalParamSpec::paramLabel))
            .collect(Collectors.joining(" "));
    page.append(".SS ").append(escaped(words)).append('\n');
    page.append(escaped(command.description())).append('\n');
    command
        .spec()
        .positionalParameters()
        .forEach(each -> item("\\fI" + escaped(each.paramLabel()) + "\\fR", each.description()));
    var isServe = command.name().equals("serve");
    (isServe ? command.options() : command.ownOptions()).forEach(this::option);
    if (command.hasSettings() && !isServe) {
      page.append(".P\nAccepts the options of \\fBhapax serve\\fR as well.\n");
    }
    if (!codes(command).equals(codes(root))) {
      page.append(".P\nExit status:\n");
      exitCodes(command);
    }
  }

  private void option(OptionSpec option) {
    var names =
        Arrays.stream(option.names())
            .map(name -> "\\fB" + escaped(name) + "\\fR")
            .collect(Collectors.joining(", "));
    var value =
        DocumentedCommand.hasValue(option) ? "=\\fI" + escaped(option.paramLabel()) + "\\fR" : "";
    item(names + value, option.description());
  }

  private void item(String term, String... description) {
    page.append(".TP\n").append(term).append('\n');
    page.append(escaped(String.join(" ", description))).append('\n');
  }

  private void exitCodes(DocumentedCommand command) {
    codes(command).forEach((code, meaning) -> item("\\fB" + code + "\\fR", meaning));
  }

  private static Map<String, String> codes(DocumentedCommand command) {
    return command.spec().usageMessage().exitCodeList();
  }

  /** A line that begins with a point or an apostrophe would be a request of roff. */
  private static String escaped(String text) {
    var line = text.replace("\\", "\\e").replace("-", "\\-");
    return List.of('.', '\'').contains(line.isEmpty() ? ' ' : line.charAt(0)) ? "\\&" + line : line;
  }
}
