package dev.hapax.bootstrap.cli.document;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.OptionSpec;

/** The completion script for fish: a line for each command and option. */
final class FishCompletion {
  private static final String SEEN = "__fish_seen_subcommand_from ";

  private FishCompletion() {}

  static String script(DocumentedCommand root) {
    return Stream.of(
            Stream.of("complete -c hapax -f"),
            root.optionsOfEveryCommand().stream().map(option -> line("", option)),
            lines(root, List.of()))
        .flatMap(each -> each)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static Stream<String> lines(DocumentedCommand command, List<String> path) {
    var names = command.subcommands().stream().map(DocumentedCommand::name).toList();
    var here = path.stream().map(name -> SEEN + name).collect(Collectors.joining("; and "));
    var missing = "not " + SEEN + String.join(" ", names);
    var condition = here.isEmpty() ? missing : here + "; and " + missing;
    return Stream.of(
            command.subcommands().stream()
                .map(
                    each ->
                        "complete -c hapax -n '%s' -a %s -d '%s'"
                            .formatted(condition, each.name(), quoted(each.summary()))),
            command.options().stream().map(option -> line(here, option)),
            command.subcommands().stream().flatMap(each -> lines(each, with(path, each.name()))))
        .flatMap(each -> each);
  }

  private static List<String> with(List<String> path, String name) {
    var longer = new ArrayList<>(path);
    longer.add(name);
    return longer;
  }

  private static String line(String condition, OptionSpec option) {
    var line = new StringBuilder("complete -c hapax");
    if (!condition.isEmpty()) {
      line.append(" -n '").append(condition).append('\'');
    }
    for (var name : option.names()) {
      line.append(name.startsWith("--") ? " -l " : " -s ").append(name.replaceFirst("^-+", ""));
    }
    var values = DocumentedCommand.values(option);
    if (!values.isEmpty()) {
      line.append(" -x -a '").append(String.join(" ", values)).append('\'');
    } else if (DocumentedCommand.hasValue(option)) {
      line.append(DocumentedCommand.isFile(option) ? " -r -F" : " -x");
    }
    return line.append(" -d '")
        .append(quoted(DocumentedCommand.summary(option)))
        .append('\'')
        .toString();
  }

  private static String quoted(String text) {
    return text.replace("\\", "\\\\").replace("'", "\\'");
  }
}
