package dev.hapax.bootstrap.cli.monitoring;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax worker}. */
@Command(name = "worker", description = "Shows the workers that take tasks.")
public final class WorkerCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Makes it a command of the root, which has to be there first so that all inherit from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var worker = new CommandLine(new WorkerCommands());
    root.addSubcommand(worker);
    worker.addSubcommand(new ListWorkersCommand(environment));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "what to do is missing: list");
  }
}
