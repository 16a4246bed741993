package dev.hapax.bootstrap.cli.monitoring;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax queue}. */
@Command(name = "queue", description = "Show task queues.")
public final class QueueCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Adds the command to the root first, so that its subcommands inherit options from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var queue = new CommandLine(new QueueCommands());
    root.addSubcommand(queue);
    queue.addSubcommand(new ListQueuesCommand(environment));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "missing subcommand: list");
  }
}
