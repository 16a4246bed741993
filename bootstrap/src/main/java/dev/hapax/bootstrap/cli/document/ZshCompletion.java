package dev.hapax.bootstrap.cli.document;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.OptionSpec;

/** The completion function for zsh: a branch for each command. */
final class ZshCompletion {
  private ZshCompletion() {}

  static String script(DocumentedCommand root) {
    return "#compdef hapax\nlocal -a commands\n" + branch(root, 2, root) + "\n";
  }

  /**
   * Completes one command.
   *
   * @param word the place of its subcommand or first argument on the command line
   */
  private static String branch(DocumentedCommand command, int word, DocumentedCommand root) {
    var subcommands = command.subcommands();
    if (subcommands.isEmpty()) {
      return Stream.of(command.options().stream(), root.optionsOfEveryCommand().stream())
          .flatMap(options -> options.map(ZshCompletion::argument))
          .collect(
              Collectors.joining(" \\\n  ", "_arguments \\\n  ", " \\\n  '*:argument:_files'"));
    }
    var names =
        subcommands.stream()
            .map(each -> "'%s:%s'".formatted(each.name(), quoted(each.summary())))
            .collect(Collectors.joining(" "));
    var branches =
        subcommands.stream()
            .map(each -> "%s)\n%s\n;;\n".formatted(each.name(), branch(each, word + 1, root)))
            .collect(Collectors.joining());
    return String.format(
        Locale.ROOT,
        """
        if (( CURRENT == %d )); then
        commands=(%s)
        _describe command commands
        return
        fi
        case "${words[%d]}" in
        %sesac""",
        word,
        names,
        word,
        branches);
  }

  /** Such as {@code '*--status=[only this status]:STATUS:(PENDING RUNNING)'}. */
  private static String argument(OptionSpec option) {
    var text = quoted(DocumentedCommand.summary(option)).replace("[", "\\[").replace("]", "\\]");
    var repeats = option.isMultiValue() ? "*" : "";
    if (!DocumentedCommand.hasValue(option)) {
      return "'%s%s[%s]'".formatted(repeats, option.longestName(), text);
    }
    var label = quoted(option.paramLabel()).replace(":", "\\:");
    return "'%s%s=[%s]:%s:%s'"
        .formatted(repeats, option.longestName(), text, label, action(option));
  }

  private static String action(OptionSpec option) {
    var values = DocumentedCommand.values(option);
    if (!values.isEmpty()) {
      return "(" + String.join(" ", values) + ")";
    }
    return DocumentedCommand.isFile(option) ? "_files" : "";
  }

  private static String quoted(String text) {
    return text.replace("'", "'\\''");
  }
}
