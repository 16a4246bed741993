package dev.hapax.bootstrap.cli;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax help}, also for nested commands. */
@Command(
    name = "help",
    helpCommand = true,
    description = "Show the help of a command, such as `hapax help run start`.")
final class HelpCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "COMMAND", description = "A command and its subcommands.")
  private List<String> names = List.of();

  @Override
  public void run() {
    var command = spec.root().commandLine();
    for (var name : names) {
      command = subcommand(command, name);
    }
    command.usage(spec.commandLine().getOut());
  }

  private static CommandLine subcommand(CommandLine command, String name) {
    var found = command.getSubcommands().get(name);
    if (found == null) {
      var known =
          command.getSubcommands().isEmpty()
              ? "it has no subcommands"
              : "available: " + names(command);
      throw new ParameterException(
          command,
          "`%s` has no command '%s' (%s)"
              .formatted(command.getCommandSpec().qualifiedName(), name, known));
    }
    return found;
  }

  private static String names(CommandLine command) {
    return command.getSubcommands().entrySet().stream()
        .filter(each -> !each.getValue().getCommandSpec().usageMessage().hidden())
        .map(Map.Entry::getKey)
        .collect(Collectors.joining(", "));
  }
}
