package dev.hapax.bootstrap.cli.monitoring;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax queue}. */
@Command(name = "queue", description = "Shows the queues that workers take tasks from.")
public final class QueueCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Makes it a command of the root, which has to be there first so that all inherit from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var queue = new CommandLine(new QueueCommands());
    root.addSubcommand(queue);
    queue.addSubcommand(new ListQueuesCommand(environment));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "what to do is missing: list");
  }
}
