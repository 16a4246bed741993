package dev.hapax.bootstrap.cli.call;

import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that has only subcommands, such as {@code hapax run}. */
@Command
public final class CommandGroup implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  private final String name;
  private final List<String> description;

  private CommandGroup(String name, List<String> description) {
    this.name = name;
    this.description = description;
  }

  public static CommandGroup of(String name, String... description) {
    return new CommandGroup(name, List.of(description));
  }

  /** Adds the group to the root first, so that its commands inherit options from the root. */
  public void addTo(CommandLine root, Map<String, String> environment, Subcommand... commands) {
    var group = new CommandLine(this);
    group.setCommandName(name);
    spec.usageMessage().description(description.toArray(String[]::new));
    root.addSubcommand(group);
    for (var command : commands) {
      group.addSubcommand(command.in(environment));
    }
  }

  @Override
  public void run() {
    var names = spec.subcommands().values().stream().map(CommandLine::getCommandName).distinct();
    var all = names.toList();
    var last = all.getLast();
    throw new ParameterException(
        spec.commandLine(),
        "missing subcommand: "
            + (all.size() == 1
                ? last
                : String.join(", ", all.subList(0, all.size() - 1)) + " or " + last));
  }
}
